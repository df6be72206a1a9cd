"""The square brackets of a text that are words of it, such as `[VAC]` or `[--force]`, and those that look like a
citation."""

import re
from collections.abc import Collection, Iterator, Set
from typing import Final
from unicodedata import normalize

LONGEST: Final = 80
"""The most characters between two brackets that are read."""

_BRACKET: Final = re.compile(r"[\[\]［］]")
_CLOSING: Final = {"]": "[", "］": "［"}
_CITING: Final = re.compile(r"[\d:,;@^†#]|\.\w")
"""The signs of a number, a name of a file, `{file}, {heading}` or a footnote."""


def pairs(text: str) -> Iterator[tuple[int, int]]:
    """The positions of each bracket and of the bracket that closes it, at most `LONGEST` characters behind it. The time
    is linear in the length of the text."""
    opened: list[int] = []
    for bracket in _BRACKET.finditer(text):
        opening = _CLOSING.get(bracket[0])
        if opening is None:
            opened.append(bracket.start())
        elif opened and text[opened[-1]] == opening:
            start = opened.pop()
            if bracket.start() - start <= LONGEST:
                yield start, bracket.start()
        else:
            opened.clear()


def literal(text: str) -> Set[str]:
    """The brackets of a text with the words between them, each in the form for comparing. The labels of links are left
    out."""
    plain = text.replace("\\", "")
    return frozenset(form(plain[start : end + 1]) for start, end in pairs(plain) if plain[end + 1 : end + 2] != "(")


def form(bracketed: str) -> str:
    """Brackets and their words on one line."""
    return " ".join(bracketed.replace("\\", "").split())


def cites(bracketed: str, labels: Collection[str]) -> bool:
    """Whether the words between two brackets look like a citation. `labels` are the labels of sources and their parts,
    in lower case."""
    words = normalize("NFKC", bracketed)[1:-1].strip()
    return not any(map(str.isalpha, bracketed)) or _CITING.search(words) is not None or words.casefold() in labels


def parts_of_label(label: str) -> Iterator[str]:
    """A label, and what it may be called in short: its file or title, the file without its ending, and its key."""
    name = re.split(r", | > | - ", label, maxsplit=1)[0]
    yield from (part.casefold() for part in (label, name, name.rpartition("/")[2], label.rpartition(" - ")[2]))
    yield name.rpartition("/")[2].rpartition(".")[0].casefold()
