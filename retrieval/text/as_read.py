"""A text as its reader reads it, for comparing quotations: signs that look or read alike are one sign.

Blanks, quotation marks, dashes, ellipses, ligatures, wide and composed letters have one form each. Emphasis, backticks
and invisible signs are left out. `joined` reads a link as its label, and a figure without the signs between its
thousands.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from unicodedata import category, combining, normalize

from retrieval.text.links import unread

_SAME: Final = {
    **dict.fromkeys("“”„‟«»「」『』\"'‘’‚‛＂＇´′″‹›", "'"),
    **dict.fromkeys("‐‑‒–—―−﹘－", "-"),
    **dict.fromkeys("*`\\\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    "×": "x",
}
_GROUPED: Final = re.compile(
    r"(?<![\d.,])[1-9]\d{0,2}([.,'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3}){0,4}(?![\d]|\1\d)",
)
"""A figure in groups of three digits, which one and the same sign divides."""


class Form(NamedTuple):
    """A text in the form for comparing, and for each of its characters its place in the original."""

    text: str
    places: Sequence[int]


def literal(text: str) -> Form:
    """The form with links and figures as they are written."""
    return _form_of(text, ())


def joined(text: str, *, links: bool) -> Form:
    """The form with figures without the signs between thousands, and `links` as their labels."""
    return _form_of(text, [*(unread(text) if links else ()), *_divisions(text)])


def _divisions(text: str) -> Iterator[tuple[int, int]]:
    for figure in _GROUPED.finditer(text):
        divider = figure[1]
        yield from ((at, at + 1) for at in range(*figure.span()) if text[at] == divider)


def _form_of(text: str, left_out: Sequence[tuple[int, int]]) -> Form:
    skipped = {at for span in left_out for at in range(*span)}
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if place in skipped:
            continue
        if character > "\u02ff" and letters and combining(character):
            _compose(letters, places, character, place)
            continue
        same = _form(character, letters[-1] if letters else "")
        if same == " " and letters and letters[-1] == " ":
            continue
        letters.extend(same)
        places.extend([place] * len(same))
    return Form("".join(letters), places)


def _form(character: str, before: str) -> str:
    """The form of a character. A small figure becomes a figure only behind a letter: `CO₂` is CO2, but 10² is not
    102."""
    if character.isspace():
        return " "
    same = _SAME.get(character)
    if same is not None or character.isascii():
        return character if same is None else same
    if category(character) == "No" and not before.isalpha():
        return character
    form = normalize("NFKC", character)
    return character if form.startswith(" ") else form


def _compose(letters: list[str], places: list[int], mark: str, place: int) -> None:
    """Puts a mark on the letter before it. They become one letter if there is such a letter."""
    whole = normalize("NFC", letters[-1] + mark)
    if len(whole) == 1:
        letters[-1] = whole
    else:
        letters.append(mark)
        places.append(place)
