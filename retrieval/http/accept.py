"""What kind of body a caller accepts (RFC 9110, section 12.5.1): JSON, unless it asks for events by name."""

from collections.abc import Mapping
from typing import Final

EVENTS: Final = "text/event-stream"
LONGEST: Final = 4_096


def wants_events(headers: Mapping[str, str]) -> bool:
    """Whether `text/event-stream` is named with a weight above zero; `*/*` and `text/*` do not name it."""
    return any(_names_events(one) for one in headers.get("accept", "")[:LONGEST].lower().split(","))


def _names_events(range: str) -> bool:
    kind, *parameters = (part.strip() for part in range.split(";"))
    return kind == EVENTS and not any(_is_zero(one) for one in parameters)


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and not value.strip().strip("0.")
