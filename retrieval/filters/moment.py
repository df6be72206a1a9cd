"""Points in time as whole ticks since 0001-01-01T00:00:00Z. A tick is 100 ns, which is the precision of
Edm.DateTimeOffset."""

import re
from datetime import UTC, date, datetime
from typing import Final

TICKS_A_SECOND = 10_000_000
LAST = 3_155_378_975_999_999_999
"""The last moment: 9999-12-31T23:59:59.9999999Z."""

_TEXT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,7}))?)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)


def ticks(text: str) -> int:
    """The ticks of an OData date-time. `T` and the zone are required. Seconds and up to seven decimals are optional.
    Raises ValueError with the reason.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError("a date and time is written 2020-01-31T12:30:00Z, with its zone")
    year, month, day, hour, minute, second, fraction, sign, zone_hours, zone_minutes = match.groups()
    if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        raise ValueError("the time is out of range")
    zone = 60 * int(zone_hours or 0) + int(zone_minutes or 0)
    if int(zone_minutes or 0) > 59 or zone > 14 * 60:
        raise ValueError("the zone is out of range: -14:00 to +14:00")
    days = date(int(year), int(month), int(day)).toordinal() - 1
    minutes = (days * 24 + int(hour)) * 60 + int(minute) + (zone if sign == "-" else -zone)
    return _within((minutes * 60 + int(second or 0)) * TICKS_A_SECOND + int((fraction or "").ljust(7, "0")))


def of(moment: datetime) -> int:
    """The ticks of a datetime. A datetime without a zone is assumed to be in UTC."""
    utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    seconds = ((utc.toordinal() - 1) * 24 + utc.hour) * 3600 + utc.minute * 60 + utc.second
    return seconds * TICKS_A_SECOND + utc.microsecond * 10


def text(ticks: int) -> str:
    """The OData text for ticks, in UTC and without trailing zeros in the decimals. Raises ValueError outside the years
    1 to 9999."""
    seconds, fraction = divmod(_within(ticks), TICKS_A_SECOND)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    decimals = f".{fraction:07d}".rstrip("0") if fraction else ""
    return f"{date.fromordinal(days + 1).isoformat()}T{hour:02d}:{minute:02d}:{second:02d}{decimals}Z"


def _within(ticks: int) -> int:
    if not 0 <= ticks <= LAST:
        raise ValueError("the moment is outside the years 1 to 9999 in UTC")
    return ticks


EPOCH: Final = ticks("1970-01-01T00:00:00Z")
TICKS: Final = {"s": TICKS_A_SECOND, "ms": TICKS_A_SECOND // 1000}
"""The ticks of the units in which a field may count time since EPOCH."""
