"""The values of the numbers in a text, so that they can be compared with the numbers of another text. `12,500`,
`12.500`, `12 500` and `12500` have the same value. So do `4.5` and `4,5`, `1.2 million` and `1,200,000`, and `three`
and `3`. In a claim, `1.250` is 1250; in a source it may also be 1.25. A date of a claim is one value. A
version such as `3.11.4` is one value; a source with it also has 3 and 3.11.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Final, TypeAlias

from retrieval.text import addresses, dates, times
from retrieval.text.content_words import nfkc
from retrieval.text.languages.recognition import recognised
from retrieval.text.number_signs import in_decimals, parted
from retrieval.text.number_words import in_digits, parts, ranks
from retrieval.text.units import next_number, units

Value: TypeAlias = Decimal | str
"""The value of a number. A version such as `3.11.4` and a day such as `--03-31` are texts, as is
a time such as `T14:30`."""

LONGEST: Final = 18
"""The most characters of a number that are read. The rest of a longer number is ignored."""

_DIVIDERS: Final = ",.'’ \u00a0\u2009\u202f"
_DIVIDED: Final = re.compile(rf"[{_DIVIDERS}]")
_BLANKS: Final = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d)")
_FIGURE: Final = re.compile(r"(?<!\d)\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,'’]\d+)*")
_DIGITS: Final = re.compile(r"[0-9]++(?:[,.'’\u00a0\u202f][0-9]{3}(?![0-9]))*+")
_NAMED: Final = re.compile(r"[A-Za-z\u00c0-\u024f_][.:=\-]?\Z")
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)\b")
_RANK: Final = re.compile(r"(?:\.?[oa]|°|er|e|[èe]re|[èe]me)(?![^\W_])|\.(?= [^\W\d_])")
"""What follows a number that is an ordinal, such as `4. Tag`, `2e`, `3°` and `5º`, which is `5o` in NFKC."""
_ENUMERATED: Final = re.compile(r"\A\s*\(?\d{1,2}[.)]\s")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}(?:([,.'’ ])\d{3})(?:\1\d{3})*")
_VERSION: Final = re.compile(r"\d+(?:\.\d+)++")
_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_YEAR_TO: Final = re.compile(r"(?:1[0-9]|20)[0-9]{2}[-–/]")
_SCALE: Final = re.compile(r"[ -]?(?:(百万|十億|[万萬億亿만억천]|千(?![克米瓦卡]))|([^\W\d_]+)\b)")
_SCALES: Final = {
    **dict.fromkeys("hundred hundert".split(), 2),
    **dict.fromkeys("k thousand tausend tsd mille mil mila 千 천".split(), 3),
    **dict.fromkeys("万 萬 만".split(), 4),
    **dict.fromkeys(
        "m mn mio million millions millionen millón millones milione milioni milhão milhões 百万".split(), 6
    ),
    **dict.fromkeys("億 亿 억".split(), 8),
    **dict.fromkeys("b bn billion billions mrd milliarde milliarden milliard milliards miliardi 十億".split(), 9),
}
_LETTERS: Final = frozenset("kmb")
"""Letters that mean a scale (`5k`), but may also be a unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number as it is written, and its possible readings. A reading has one value or more: for example, a date has a
    value for each part. The first `scaled` readings include the word after the number, such as `million`. If `scaled`
    is not 0, `values` uses only these readings. If the word is only `k`, `m` or `b` (`5k`), `scaled` is 0, so that
    `values` uses all readings. `units` are those that `retrieval.text.units` reads.
    """

    text: str
    readings: tuple[tuple[Value, ...], ...]
    scaled: int = 0
    units: frozenset[str] = frozenset()

    @property
    def told(self) -> tuple[tuple[Value, ...], ...]:
        """The readings with the word for a scale, or all."""
        return self.readings[: self.scaled or None]

    @property
    def single(self) -> tuple[Decimal, ...]:
        """The values of the readings with one value."""
        return tuple(_single(self.told))


def of_claim(text: str) -> tuple[Figure, ...]:
    """The numbers in digits that a text claims. Addresses, parts of names (`c1`), English ordinals (`3rd`) and a list
    number at the beginning (`1.`) are left out."""
    plain = normalized(_ENUMERATED.sub(" ", text))
    return tuple(
        figure
        for match, figure in _figures(plain, claimed=True)
        if not _NAMED.search(plain[max(match.start() - 2, 0) : match.start()])
        and not _ORDINAL.match(plain, match.end())
    )


def of_source(text: str) -> tuple[Figure, ...]:
    """The numbers in a text, written as digits or as words. If the language of the text is not recognised, the number
    words of all languages are used."""
    plain, language = normalized(text), recognised(text)
    in_numbers = in_digits(plain, language)
    in_words = (
        *(((_rank(rank),),) for rank in ranks(plain, language)),
        *(_shares(part) for part in parts(in_numbers, language)),
    )
    return (
        *(figure for _, figure in _figures(in_numbers)),
        *(Figure(text="", readings=readings) for readings in in_words),
    )


def _rank(number: int | str) -> str:
    return f"{number}th"


def _shares(part: Decimal) -> tuple[tuple[Value, ...], ...]:
    """The values of a part: for a third 0.333, 0.33, 33.3 and 33."""
    return tuple(
        (round(value, places).normalize(),)
        for value, most in ((part, 3), (100 * part, 1))
        for places in (most, most - 1)
    )


def values(figures: Iterable[Figure]) -> frozenset[Value]:
    return frozenset(value for figure in figures for reading in figure.told for value in reading)


def measured(figures: Iterable[Figure]) -> Mapping[str, frozenset[Decimal]]:
    """The values by their unit. A value may have several units."""
    by_unit = defaultdict[str, set[Decimal]](set)
    for figure in figures:
        for unit in figure.units:
            by_unit[unit].update(figure.single)
    return {unit: frozenset(values) for unit, values in by_unit.items()}


def only(plain: str) -> Decimal | None:
    """The value of the only number in digits in a normalized text; None if there is another or none."""
    in_text = [figure for _, figure in islice(_figures(plain), 2)]
    return next(iter(in_text[0].single), None) if len(in_text) == 1 else None


def digits(text: str) -> frozenset[str]:
    """The digits of each number outside addresses, without `,`, `.` and apostrophes before groups of three. `4.5` gives
    `4` and `5`."""
    figures = _DIGITS.findall(nfkc(addresses.without(text)))
    return frozenset("".join(filter(str.isdigit, figure)) for figure in figures)


def normalized(text: str) -> str:
    """The form of a text whose numbers are read: without addresses, in NFKC."""
    return in_decimals(nfkc(parted(_BLANKS.sub(" ", addresses.without(text)))))


def _figures(plain: str, *, claimed: bool = False) -> Iterator[tuple[re.Match[str], Figure]]:
    date_readings = dates.by_place(plain)
    times_of_day = dict(times.by_place(plain, claimed=claimed))
    for match in _FIGURE.finditer(plain):
        as_date = date_readings.get(match.start(), ())
        is_date = claimed and any(len(reading) > 1 for reading in as_date)
        others = () if is_date else (*_readings(match[0], claimed=claimed), *_short_year(plain, match))
        as_time = ((times_of_day[match.start()],),) if match.start() in times_of_day else ()
        as_rank = ((_rank(match[0]),),) if claimed and _RANK.match(plain, match.end()) else ()
        readings = (*others, *as_date, *as_time, *as_rank)
        end, power, is_sure = _scale(plain, match.end())
        if not power:
            power, is_sure = _scale(plain, next_number(plain, match.end()))[1], False
        scaled = tuple((value * 10**power,) for value in _single(readings) if power)
        yield (
            match,
            Figure(
                text=match[0],
                readings=(*scaled, *readings),
                scaled=len(scaled) * is_sure,
                units=units(plain, match, end),
            ),
        )


def _single(readings: Iterable[Sequence[Value]]) -> Iterator[Decimal]:
    return (value for reading in readings for value in reading if len(reading) == 1 and isinstance(value, Decimal))


def _scale(plain: str, at: int) -> tuple[int, int, bool]:
    """The end of the word for a scale behind a number, its power of ten, and whether it cannot be a unit. The power is
    0 if there is none."""
    scale = _SCALE.match(plain, at)
    word = "" if scale is None else (scale[1] or scale[2]).casefold()
    return (
        (scale.end(), _SCALES[word], word not in _LETTERS) if scale is not None and word in _SCALES else (at, 0, False)
    )


def _short_year(plain: str, match: re.Match[str]) -> Iterator[tuple[Value, ...]]:
    """The year 2022 for the figure 22 in `2021/22`."""
    start = match.start()
    if len(match[0]) == 2 and _YEAR_TO.fullmatch(plain, max(start - 5, 0), start):
        yield (Decimal(plain[start - 5 : start - 3] + match[0]),)


def _readings(figure: str, *, claimed: bool) -> Iterator[tuple[Value, ...]]:
    if len(figure) > LONGEST:
        figure = figure[:LONGEST]
    parts = [part for part in _DIVIDED.split(figure) if part]
    divided = _THOUSANDS.fullmatch(figure)
    if divided is not None:
        yield (Decimal("".join(parts)),)
    whole, decimals = parts[:-1], parts[-1]
    if len(parts) == 1:
        yield (Decimal(parts[0]),)
    elif len(parts) == 2 and (divided is None or (decimals.strip("0") and not claimed)):
        yield (Decimal(f"{whole[0]}.{decimals}"),)
    elif len(parts) > 2 and _THOUSANDS.fullmatch(figure[: -len(decimals) - 1]):
        yield (Decimal(f"{''.join(whole)}.{decimals}"),)
    elif len(parts) > 2 and _VERSION.fullmatch(figure) and not any(map(_YEAR.fullmatch, parts)):
        yield from ((figure,),) if claimed else _versions(parts)
    elif divided is None:
        yield tuple(Decimal(part) for part in parts)
    if " " in figure:
        yield tuple(Decimal(part) for part in parts)


def _versions(parts: Sequence[str]) -> Iterator[tuple[Value, ...]]:
    """The version 4.12.3 and those that it belongs to: 4 and 4.12."""
    yield (Decimal(parts[0]),)
    yield (Decimal(f"{parts[0]}.{parts[1]}"),)
    yield from ((".".join(parts[:count]),) for count in range(3, len(parts) + 1))
