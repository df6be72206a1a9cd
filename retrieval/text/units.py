"""The unit or currency of a number in a text, so that numbers are added only to numbers of the same unit."""

import re
from collections.abc import Iterator
from typing import Final

_CURRENCIES: Final = "$€£¥₩"
_UNIT: Final = re.compile(
    rf"[ -]?(?:([%°{_CURRENCIES}]|(?:per|pour|por) cent|percent|prozent)|([^\W\d_]{{1,30}}+))", re.IGNORECASE
)
_NEXT: Final = re.compile(rf"[ ,/–—-]{{0,3}}(?:[^\W\d_]{{1,3}}+ )?[{_CURRENCIES}]?[0-9][0-9.,]{{0,17}}+")
_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_SAME: Final = {
    **dict.fromkeys(
        "year years yr yrs jahr jahre jahren an ans année années año años anno anni ano anos 年 년".split(), "year"
    ),
    **dict.fromkeys("euro euros eur".split(), "€"),
    **dict.fromkeys("dollar dollars dólares dollari usd".split(), "$"),
    **dict.fromkeys("pound pounds pfund gbp".split(), "£"),
    **dict.fromkeys("yen jpy 円".split(), "¥"),
}
_STEM: Final = 3
"""The number of characters of a unit that are compared: `Tag` and `Tagen`, `minute` and `minutos` are one unit."""

_SIGNS_START: Final = "\u2e80"


def units(plain: str, match: re.Match[str], end: int) -> frozenset[str]:
    """The units of a number, in the form in which they are compared: the currency before it, or else the unit behind
    it, and behind the next number in a range (`12 to 15 mg`). No unit is "". A number of four digits may also be a
    year. `end` is the end of the number with its scale (`1.2 million`)."""
    return frozenset(_units(plain, match, end))


def next_number(plain: str, at: int) -> int:
    """The end of the next number in a row or range such as `3 to 4 million`, or `at`."""
    match = _NEXT.match(plain, at)
    return at if match is None else match.end()


def _units(plain: str, match: re.Match[str], end: int) -> Iterator[str]:
    before = plain[max(match.start() - 1, 0) : match.start()]
    if before == "^":
        return
    if before and before in _CURRENCIES:
        yield before
        return
    yield _behind(plain, end)
    yield _behind(plain, next_number(plain, end))
    if _YEAR.fullmatch(match[0]):
        yield "year"


def _behind(plain: str, at: int) -> str:
    match = _UNIT.match(plain, at)
    if match is None:
        return ""
    if match[1]:
        return match[1] if len(match[1]) == 1 else "%"
    word = match[2].casefold()
    stem = word[: 1 if word >= _SIGNS_START else _STEM]
    return _SAME.get(word) or _SAME.get(stem, stem)
