"""Events are for those who name them."""

import pytest

from retrieval.http.accept import LONGEST, takes_json, wants_events


@pytest.mark.parametrize(
    "accept",
    [
        "text/event-stream",
        "Text/Event-Stream; charset=utf-8",
        "application/json, text/event-stream;q=0.5",
        "text/event-stream;q=0.001",
    ],
)
def test_events_are_asked_for_by_name(accept: str) -> None:
    assert wants_events({"accept": accept})


@pytest.mark.parametrize(
    "accept",
    ["", "application/json", "*/*", "text/*", "text/event-stream;q=0", "text/event-stream; Q=0.000", "x" * 9 * LONGEST],
)
def test_anything_else_is_json(accept: str) -> None:
    assert not wants_events({"accept": accept})


@pytest.mark.parametrize(
    "accept", ["", "application/json, text/event-stream", "text/event-stream, */*;q=0.1", "text/html"]
)
def test_json_will_do_for_all_but_those_who_take_events_alone(accept: str) -> None:
    assert takes_json({"accept": accept})
    assert not takes_json({"accept": "text/event-stream"})
