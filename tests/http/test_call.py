"""Events are for those who name them."""

import pytest

from retrieval.http.call import LONGEST_ACCEPT, Call


def call(accept: str) -> Call:
    return Call(headers={"accept": accept}, query={}, body=b"")


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
    assert call(accept).wants_events


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "application/json",
        "*/*",
        "text/*",
        "text/event-stream;q=0",
        "text/event-stream; Q=0.000",
        "x" * 9 * LONGEST_ACCEPT,
    ],
)
def test_anything_else_is_json(accept: str) -> None:
    assert not call(accept).wants_events


@pytest.mark.parametrize(
    "accept", ["", "application/json, text/event-stream", "text/event-stream, */*;q=0.1", "text/html"]
)
def test_json_will_do_for_all_but_those_who_take_events_alone(accept: str) -> None:
    assert call(accept).takes_json
    assert not call("text/event-stream").takes_json
