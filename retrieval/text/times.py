"""The times of day in a text, so that `2:30 p.m.`, `14.30 Uhr`, `14h30` and `下午2点半` are one value, `T14:30` as in
ISO 8601."""

import re
from collections.abc import Iterator
from typing import Final

from retrieval.text.units import next_number

_TIME: Final = re.compile(
    r"(?:(?P<late>下午|午後|晚上|오후) ?)?(?<![0-9.,:/])(?P<hour>2[0-4]|[01]?[0-9])(?![0-9])"
    r"(?:(?P<by>[:.h]|[点點时時시] ?)(?P<minute>[0-5][0-9])(?![0-9%])|[点點时時시](?P<half>[半반]))?",
    re.IGNORECASE,
)
_MARK: Final = re.compile(
    r" ?(?:(?P<half_day>[ap])\.? ?m\b|uhr\b|h\b|o['’]clock\b|[点點时時시](?![間间간]))", re.IGNORECASE
)


def by_place(plain: str, *, claimed: bool) -> Iterator[tuple[int, str]]:
    """The place of each number that belongs to a time, and the time. In a source, `9.30` alone may be a time too."""
    for match in _TIME.finditer(plain):
        mark = _MARK.match(plain, match.end()) or _MARK.match(plain, next_number(plain, match.end()))
        by = match["by"] or ""
        if mark or match["late"] or match["half"] or (by if not claimed else by.strip(".")):
            hour = int(match["hour"])
            if mark and mark["half_day"]:
                hour = hour % 12 + 12 * (mark["half_day"] in "pP")
            elif match["late"] and hour < 12:
                hour += 12
            time = f"T{hour:02}:{'30' if match['half'] else match['minute'] or '00'}"
            yield from ((match.start(part), time) for part in ("hour", "minute") if match[part])
