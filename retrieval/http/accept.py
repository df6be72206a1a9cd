"""Whether a caller takes events or JSON: the header Accept, read as RFC 9110, section 12.5.1, has it."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

EVENTS: Final = "text/event-stream"
JSON: Final = frozenset({"application/json", "application/*", "*/*"})
LONGEST: Final = 4_096


def wants_events(headers: Mapping[str, str]) -> bool:
    """Whether `text/event-stream` is named with a weight above zero; `*/*` and `text/*` do not name it."""
    return EVENTS in _ranges(headers)


def takes_json(headers: Mapping[str, str]) -> bool:
    """Whether JSON is accepted: it is named, or nothing is named, or not only events are named."""
    return not JSON.isdisjoint(_ranges(headers)) or not wants_events(headers)


def _ranges(headers: Mapping[str, str]) -> frozenset[str]:
    return _kinds(headers.get("accept", "")[:LONGEST])


@lru_cache(maxsize=32)
def _kinds(accept: str) -> frozenset[str]:
    """The media ranges with a weight above zero."""
    ranges = [[part.strip() for part in range.split(";")] for range in accept.lower().split(",")]
    return frozenset(kind for kind, *parameters in ranges if not any(map(_is_zero, parameters)))


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and not value.strip().strip("0.")
