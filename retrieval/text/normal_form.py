"""Normalizes texts so that quotations can be compared. Characters that look alike get the same form: blanks, quotation
marks, dashes, ellipses, ligatures, wide letters and composed letters. Asterisks, backticks, backslashes and some
invisible characters are removed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from unicodedata import category, normalize

from retrieval.text.links import unread

_SAME: Final = {
    **dict.fromkeys("“”„‟«»「」『』\"'‘’‚‛＂＇´′″‹›", "'"),
    **dict.fromkeys("‐‑‒–—―−﹘－", "-"),
    **dict.fromkeys("*`\\\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    "×": "x",
}
_CLUSTER: Final = re.compile(r".[\u0300-\u036f\u3099\u309a]*", re.DOTALL)
"""A character with the combining marks that Unicode composes with a letter."""

_GROUPED: Final = re.compile(
    r"(?<![\d.,])[1-9]\d{0,2}([.,'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3}){0,4}(?![\d]|\1\d)",
)
"""A number in groups of three digits. The same separator stands between all groups."""


class Form(NamedTuple):
    """A text in the form for comparing. `places` has the position in the original text for each character."""

    text: str
    places: Sequence[int]


def literal(text: str) -> Form:
    """The form of a text. Link targets and thousands separators stay."""
    return _form_of(text, ())


def joined(text: str, *, links: bool) -> Form:
    """The form of a text without the thousands separators in numbers. If `links` is true, each link is replaced by its
    label."""
    return _form_of(text, [*(unread(text) if links else ()), *_divisions(text)])


def _divisions(text: str) -> Iterator[tuple[int, int]]:
    for figure in _GROUPED.finditer(text):
        divider = figure[1]
        yield from ((at, at + 1) for at in range(*figure.span()) if text[at] == divider)


def _form_of(text: str, left_out: Sequence[tuple[int, int]]) -> Form:
    skipped = {at for span in left_out for at in range(*span)}
    letters: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        place = cluster.start()
        for character in () if place in skipped else normalize("NFC", cluster[0]):
            same = _form(character, letters[-1] if letters else "")
            if same == " " and letters and letters[-1] == " ":
                continue
            letters.extend(same)
            places.extend([place] * len(same))
    return Form("".join(letters), places)


def _form(character: str, before: str) -> str:
    """The form of a character after the character `before`. A superscript or subscript digit becomes a plain digit only
    after a letter: `CO₂` becomes CO2, but 10² does not become 102."""
    if character.isspace():
        return " "
    same = _SAME.get(character)
    if same is not None or character.isascii():
        return character if same is None else same
    if category(character) == "No" and not before.isalpha():
        return character
    form = normalize("NFKC", character)
    return character if form.startswith(" ") else form
