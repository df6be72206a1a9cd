"""Points in time as whole ticks since 0001-01-01T00:00:00Z. A tick is 100 ns, which is the precision of
Edm.DateTimeOffset."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

TICKS_A_SECOND = 10_000_000
LAST = 3_155_378_975_999_999_999
"""The last moment: 9999-12-31T23:59:59.9999999Z."""

_TEXT = re.compile(
    r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6}(\d?))?)?"
    r"(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))",
    re.ASCII,
)
"""A date and time with the digit of its last tick. Zones are -14:00 to +14:00."""


def ticks(text: str) -> int:
    """The ticks of an OData date-time. `T` and the zone are required. Seconds and up to seven decimals are optional.
    Raises ValueError with the reason.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError("a date and time is written 2020-01-31T12:30:00Z, with its zone")
    return _within(of(datetime.fromisoformat(text)) + int(match[1] or 0))


def of(moment: datetime) -> int:
    """The ticks of a datetime. A datetime without a zone is assumed to be in UTC."""
    first = datetime.min if moment.tzinfo is None else datetime.min.replace(tzinfo=UTC)
    return (moment - first) // timedelta(microseconds=1) * 10


def text(ticks: int) -> str:
    """The OData text for ticks, in UTC and without trailing zeros in the decimals. Raises ValueError outside the years
    1 to 9999."""
    seconds, fraction = divmod(_within(ticks), TICKS_A_SECOND)
    decimals = f".{fraction:07d}".rstrip("0") if fraction else ""
    return f"{(datetime.min + timedelta(seconds=seconds)).isoformat()}{decimals}Z"


def _within(ticks: int) -> int:
    if not 0 <= ticks <= LAST:
        raise ValueError("the moment is outside the years 1 to 9999 in UTC")
    return ticks


EPOCH: Final = ticks("1970-01-01T00:00:00Z")
TICKS: Final = {"s": TICKS_A_SECOND, "ms": TICKS_A_SECOND // 1000}
"""The ticks of the units in which a field may count time since EPOCH."""
