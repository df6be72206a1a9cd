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
    "accept",
    [
        "text/event-stream",
        "text/event-stream, application/json",
        "TEXT/Event-Stream , */*",
        "text/event-stream, application/*",
        "text/html, text/event-stream;q=0.1",
        "application/json;q=0.9, text/event-stream",
        "application/json; Q=.9, text/event-stream; q=1.0",
        "application/json;q=0, */*, text/event-stream;q=0.5",
        "*/*, application/json;q=0.1, text/event-stream;q=0.2",
        "application/json;q=0.2, text/event-stream;q=0.1, text/event-stream;q=0.3",
        "text/event-stream;q=7, application/json",
    ],
)
def test_events_are_preferred_by_a_higher_weight_or_by_the_first_place(accept: str) -> None:
    assert call(accept).prefers_events


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "text/*",
        "text/html",
        "application/json",
        "application/json, text/event-stream",
        "*/*, text/event-stream",
        "application/json;q=0.5, text/event-stream;q=0.5",
        "text/event-stream;q=0.9, application/json",
        "text/event-stream;q=0.9, */*",
        "text/event-stream;q=0",
        "text/event-stream;q=0, application/json;q=0",
        "text/event-stream;q=, application/json;q=0.1",
        "application/json;q=7, text/event-stream",
        "application/json;q=nan, text/event-stream",
        "application/json;q=1e9, text/event-stream",
    ],
)
def test_json_is_preferred_otherwise(accept: str) -> None:
    assert not call(accept).prefers_events


@pytest.mark.parametrize(
    "accept", ["", "application/json, text/event-stream", "text/event-stream, */*;q=0.1", "text/html"]
)
def test_json_will_do_for_all_but_those_who_take_events_alone(accept: str) -> None:
    assert call(accept).takes_json
    assert not call("text/event-stream").takes_json
