"""The dates in a text, so that `31 March`, `31.03.`, `3/31` and `3月31日` are one value. `--03-31` is the value of a
day without its year, as in vCard (https://www.rfc-editor.org/rfc/rfc6350#section-4.3.1). The year is a separate value.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeAlias

from retrieval.text.languages.recognition import KNOWN

Reading: TypeAlias = tuple[Decimal | str, ...]

_MONTHS: Final = {name: month for language in KNOWN for name, month in language.months.items()}
_DAY: Final = re.compile(r"(?<![0-9.,/:-])[0-3]?[0-9](?![0-9])")
_AHEAD: Final = re.compile(r"(?:st|nd|rd|th|er|o)?\.? ?(?:de |of )?([^\W\d_]{3,12}+)")
_BEHIND: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12})\.? \Z")
_LONGEST_BEHIND: Final = 15
_ISO: Final = re.compile(r"(?<![0-9./-])([0-9]{4})([./-])([01]?[0-9])\2([0-3]?[0-9])(?![0-9])")
_LOCAL: Final = re.compile(r"(?<![0-9./-])([0-3]?[0-9])([./-])([0-3]?[0-9])(?:\2([0-9]{4}|[0-9]{2}))?(?![0-9])")
_SIGNS: Final = re.compile(r"(?<![0-9])([01]?[0-9])[月월] ?([0-3]?[0-9])[日일]")


def by_place(plain: str) -> Mapping[int, Sequence[Reading]]:
    """The readings as a date of each number in a text that belongs to one. `3/4` is read in March and in April."""
    readings = defaultdict[int, list[Reading]](list)
    for place, reading in (*_named(plain), *_iso(plain), *_local(plain), *_signs(plain)):
        readings[place].append(reading)
    return readings


def _named(plain: str) -> Iterator[tuple[int, Reading]]:
    """The dates whose month is a word."""
    for day in _DAY.finditer(plain):
        ahead = _AHEAD.match(plain, day.end())
        behind = _BEHIND.search(plain[max(day.start() - _LONGEST_BEHIND, 0) : day.start()])
        for month in (_MONTHS.get(word[1].casefold(), 0) for word in (ahead, behind) if word is not None):
            yield from ((day.start(), (date,)) for date in _dates(month, int(day[0])))


def _iso(plain: str) -> Iterator[tuple[int, Reading]]:
    for match in _ISO.finditer(plain):
        for date in _dates(int(match[3]), int(match[4])):
            if match[2] == ".":
                yield match.start(), (date, Decimal(match[1]))
            else:
                yield from ((match.start(part), (date,)) for part in (3, 4))


def _local(plain: str) -> Iterator[tuple[int, Reading]]:
    """The dates that begin with the day, or with the month if `/` follows."""
    for match in _LOCAL.finditer(plain):
        first, mark, second, year = int(match[1]), match[2], int(match[3]), match[4]
        if not year and mark != "/" and not (mark == "." and plain.startswith(".", match.end())):
            continue
        for date in {*_dates(second, first), *(_dates(first, second) if mark == "/" else ())}:
            if mark == ".":
                yield from ((match.start(), of_year) for of_year in _with_years(date, year))
            else:
                yield from ((match.start(part), (date,)) for part in (1, 3))


def _signs(plain: str) -> Iterator[tuple[int, Reading]]:
    for match in _SIGNS.finditer(plain):
        for date in _dates(int(match[1]), int(match[2])):
            yield from ((match.start(part), (date,)) for part in (1, 2))


def _dates(month: int, day: int) -> tuple[str, ...]:
    return (f"--{month:02}-{day:02}",) if 1 <= month <= 12 and 1 <= day <= 31 else ()


def _with_years(date: str, year: str | None) -> tuple[Reading, ...]:
    """The date, with each year that two digits may mean."""
    if year is None:
        return ((date,),)
    return tuple((date, Decimal(f"{century}{year}")) for century in (("",) if len(year) == 4 else ("19", "20")))
