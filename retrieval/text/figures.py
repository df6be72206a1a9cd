"""The figures of a text, so that the figures of a claim can be looked up in other texts.

A figure is its digits: `12,500`, `12.500` and `12 500` are one figure, and so are `4.50` and `4,5`, `1.2 million` and
`1,200,000`. A date is its day, month and year: `18 March 2026`, `18.03.2026` and `20260318` are one date. The texts in
which a claim is looked up also have their number words from one to twelve, and with `6 p.m.` also 18. Units, signs and
the number words of a claim are not read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, NamedTuple, TypeAlias

from retrieval.text.content_words import nfkc
from retrieval.text.languages.language import KNOWN, Language
from retrieval.text.links import without_addresses

_RAISED: Final = re.compile(
    r"(?<=\d)(?:[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]++|\^\{?[-+\u2212]?\d++\}?)"
)
_FRACTIONS: Final = str.maketrans({"\u00bc": ".25", "\u00bd": ".5", "\u00be": ".75"})
_OTHER_DIGIT: Final = re.compile(r"[^\D\x00-\x7f]")
_OF_NAME: Final = re.compile(r"(?<=[A-Za-z\u00c0-\u024f])\d(?![.,]?\d)|\d++(?:st|nd|rd|th)\b")
_LETTERS: Final = "".join(letter for letter in map(chr, range(0x250)) if letter.isalpha())
_NAME: Final = re.compile(rf"(?:--)?[{_LETTERS}_][{_LETTERS}0-9_-]*\Z")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_LONGEST_NAME: Final = 64
_WORD: Final = re.compile(r"[^\W\d_]++")
_DIGITS: Final = re.compile(r"\d++")

_FIGURE: Final = re.compile(
    r"(?<!\d)\d{1,3}(?: \d{3}(?!\d)){1,5}+(?:[.,\u066b]\d++)?|(?:(?<![^\s(\[$€£¥])\.)?\d++(?:[.,'’\u066b\u066c]\d++)*+"
)
_GROUP: Final = re.compile(r"(?<!\A0)[.,'’ \u066c](?=\d{3}(?!\d))")
_MARK: Final = re.compile(r"[.,'’ \u066b\u066c]")
_SCALE: Final = re.compile(
    r"[ -]?(?:(k\b|thousand|tausend|tsd|mil(?:le|a)?\b|[千천])|([万萬만])|(m(?:io|n)?\b|mill?i[oó]n|millones|milh|百万)"
    r"|([億亿억])|(bn?\b|billion|mrd|mill?iard)|(trillion|[兆조]))",
    re.IGNORECASE,
)
_POWERS: Final = (3, 4, 6, 8, 9, 12)
"""The powers of ten of the groups of `_SCALE`."""

_CLOCK: Final = r" ?(?:[ap]\.? ?m\b|uhr\b|h\b|[点點时時시])"
_DOTTED: Final = re.compile(rf"(?<![\d.,])([01]?\d|2[0-4])\.([0-5]\d)(?={_CLOCK})", re.IGNORECASE)
_HOUR: Final = re.compile(rf"(?<![\d.,])\d\d?(?=:[0-5]\d| ?h ?[0-5]\d|{_CLOCK})", re.IGNORECASE)

_MONTHS: Final = {name: f"--{month:02}" for language in KNOWN for name, month in language.months.items()}
"""The months in the form of vCard (https://www.rfc-editor.org/rfc/rfc6350#section-4.3.1)."""

_DAY: Final = re.compile(r"(?<![\d.,:/-])[0-3]?\d(?!\d)")
_AHEAD: Final = re.compile(r"(?:st|nd|rd|th|er|o)?\.? ?(?:de |of )?([^\W\d_]{3,12}+)")
_BEHIND: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12})\.? \Z")
_LONGEST_BEHIND: Final = 15
_DATES: Final = (
    re.compile(r"(?<![\d./-])(?P<year>(?:19|20)\d\d)([-./])(?P<month>[01]?\d)\2(?P<day>[0-3]?\d)(?!\d)"),
    re.compile(r"(?<![\d./-])(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"),
    re.compile(r"(?:(?P<year>\d{4})[年년] ?)?(?<!\d)(?P<month>[01]?\d)[月월] ?(?P<day>[0-3]?\d)[日일]"),
    re.compile(r"(?<![\d./-])(?P<day>[0-3]?\d)([-./])(?P<month>[0-3]?\d)\2(?P<year>\d{4}|\d\d)?(?!\d)"),
)

Parts: TypeAlias = Set[str]


class Figure(NamedTuple):
    """A figure as it is written, and its readings. A text has the figure if it has all parts of one reading.
    `is_of_name` tells that it is a part of an identifier, such as `tool-2_1`."""

    text: str
    readings: Sequence[Parts]
    is_of_name: bool = False

    @property
    def length(self) -> int:
        """The most digits in a row, without the marks of groups."""
        return max(map(len, _DIGITS.findall(_GROUP.sub("", self.text))))


def claimed(text: str) -> Iterator[Figure]:
    """The figures that a text claims. A digit of a name (`c1`), an English ordinal (`3rd`), zero and the figures of
    addresses are left out."""
    plain = _plain(text)
    dates, done = _dates(plain), 0
    for match in _FIGURE.finditer(plain):
        start = match.start()
        if start >= done and start in dates:
            done, readings = dates[start]
            yield Figure(plain[start:done].rstrip("."), readings)
        elif start >= done and not _OF_NAME.match(plain, start) and _same(match[0]):
            yield Figure(match[0], _readings(plain, match), _is_of_name(plain, match))


def _is_of_name(plain: str, match: re.Match[str]) -> bool:
    """Whether a figure is a part of an identifier: it follows a name with an underscore, or a name and a hyphen, and is
    then no year."""
    name = _NAME.search(plain[max(match.start() - _LONGEST_NAME, 0) : match.start()])
    if name is None or _MARK.search(match[0]):
        return False
    return "_" in name[0] or (name[0].endswith("-") and not _YEAR.fullmatch(match[0]))


def figures_of(text: str, language: Language | None) -> Parts:
    """The figures that a text has, with the number words of its language; where that is None, of every language."""
    plain = _plain(text)
    result = {str((int(hour[0]) + 12) % 24) for hour in _HOUR.finditer(plain)}
    for match in _FIGURE.finditer(plain):
        parts = _same(match[0]).split(".")
        result.update(*_readings(plain, match), map(_same, (*parts, ".".join(parts[:2])) if len(parts) > 2 else ()))
    for _, readings in _dates(plain).values():
        result.update(*readings, *({part.lstrip("-0") for part in reading} for reading in readings))
    folded = plain.casefold()
    words = set(_WORD.findall(folded))
    result.update(_MONTHS[word] for word in words & _MONTHS.keys())
    for spoken in KNOWN if language is None else (language,):
        said = words if spoken.is_latin else folded
        result.update(str(number) for word, number in spoken.numbers.items() if word in said)
    return result


def unknown_figures(text: str, texts: Sequence[Parts]) -> Iterator[Figure]:
    """The figures of a claim that the texts do not have."""
    for figure in claimed(text):
        if not any(all(any(part in held for held in texts) for part in reading) for reading in figure.readings):
            yield figure


def _plain(text: str) -> str:
    """A text in NFKC with ASCII digits, without addresses and raised digits. NFKC would join these to a number."""
    plain = nfkc(_RAISED.sub("", without_addresses(text).translate(_FRACTIONS)))
    return _DOTTED.sub(r"\1:\2", _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), plain))


def _same(figure: str) -> str:
    """A figure without the marks of groups, with a point before its decimals, and without zeros at both ends."""
    plain = _MARK.sub(".", _GROUP.sub("", figure))
    return (plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain).lstrip("0")


def _readings(plain: str, match: re.Match[str]) -> Sequence[Parts]:
    """The readings of a figure: its digits, and with the scale behind it; of `5 100` also the figures 5 and 100."""
    same, scale = _same(match[0]), _SCALE.match(plain, match.end())
    power = 0 if scale is None else _POWERS[(scale.lastindex or 1) - 1]
    whole, _, decimals = same.partition(".")
    scaled = ({(whole + decimals.ljust(power, "0")).lstrip("0")},) if len(decimals) <= power else ()
    return ({same}, *scaled, *([{*map(_same, match[0].split(" "))}] if " " in match[0] else []))


def _dates(plain: str) -> Mapping[int, tuple[int, Sequence[Parts]]]:
    """The dates of a text by their places: the end of each, and its readings. `3/4/2026` is in March or in April."""
    dates: dict[int, tuple[int, Sequence[Parts]]] = {}
    for date in (date for pattern in _DATES for date in pattern.finditer(plain)):
        year = {_year(date["year"])} if date["year"] else set[str]()
        orders = [(date["month"], date["day"]), *([(date["day"], date["month"])] if date.lastgroup == "year" else [])]
        readings = [{f"--{int(month):02}", _same(day)} | year for month, day in orders if 1 <= int(month) <= 12]
        dates[date.start()] = date.end(), (*readings, {_same(date[0].rstrip("."))})
    for match in _DAY.finditer(plain):
        behind = _BEHIND.search(plain[max(match.start() - _LONGEST_BEHIND, 0) : match.start()])
        for word in (_AHEAD.match(plain, match.end()), behind):
            if word is not None and word[1].casefold() in _MONTHS:
                end = match.end() if word is behind else word.end()
                dates[match.start()] = end, ({_MONTHS[word[1].casefold()], _same(match[0])},)
    return dates


def _year(year: str) -> str:
    """A year of four digits. `26` is 2026 and `98` is 1998."""
    return year if len(year) == 4 else f"{'20' if year < '50' else '19'}{year}"
