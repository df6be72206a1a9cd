"""A date as people write it, as filters write it. One that could be two days is none."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from retrieval.text.languages.language import KNOWN

_LONGEST: Final = 100
_MONTHS: Final = {name: month for language in KNOWN for name, month in language.months.items()}
_ZONE: Final = re.compile(r"(\d)\s+([+-]\d\d:?\d\d|Z|UTC)$")
_YEAR_FIRST: Final = re.compile(
    r"(?P<year>\d{4})\s?([-./年년])\s?(?P<month>\d{1,2})\s?[-./月월]\s?(?P<day>\d{1,2})[日일]?"
)
_DAY_FIRST: Final = re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})")
_EITHER: Final = re.compile(r"(?P<day>\d{1,2})[/-](?P<month>\d{1,2})[/-](?P<year>\d{4})")
_NAMED: Final = (
    re.compile(r"(?:\w+\.?,?\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+)?(?P<name>[^\W\d_]+)\.?,?\s+(?:de\s+)?(?P<year>\d{4})"),
    re.compile(r"(?:[^\W\d_]+,?\s+)?(?P<name>[^\W\d_]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})"),
)  # fmt: skip


def moment(said: object) -> str | None:
    """A date or a time as filters write it, in UTC where it has no zone; None for what is none."""
    text = said.isoformat() if isinstance(said, date) else " ".join(str(said)[:_LONGEST].split())
    for found in _readings(text):
        zoned = found if found.tzinfo else found.replace(tzinfo=UTC)
        try:
            return zoned.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if zoned.year >= 1000 else None
        except OverflowError:
            return None
    return None


def _readings(text: str) -> Iterator[datetime]:
    with suppress(ValueError):
        yield datetime.fromisoformat(_ZONE.sub(r"\1\2", text))
    yield from _of_day(text)
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        yield parsedate_to_datetime(text)


def _of_day(text: str) -> Iterator[datetime]:
    """The day that a text names, and nothing else."""
    for form in (_YEAR_FIRST, _DAY_FIRST, _EITHER, *_NAMED):
        found = form.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        year, day = int(parts["year"]), int(parts["day"])
        month = _MONTHS.get(parts["name"].lower(), 0) if "name" in parts else int(parts["month"])
        if form is _EITHER and day != month:
            if min(day, month) > 12 or max(day, month) <= 12:
                continue
            day, month = max(day, month), min(day, month)
        try:
            yield datetime(year, month, day)
        except ValueError:
            continue
