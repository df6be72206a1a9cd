"""Names in texts: runs of words with a capital or figures, titles in brackets such as 《》, and runs of katakana. The
rules depend on the language of the text.

Small joining words may stand within a name. German writes all nouns with a capital, so a German name is an acronym or
several capitalised words in a row. Chinese has no capitals. Names consist only of words, except titles in brackets of
at most 30 characters. So the text of a document adds no long sentences to a query.
Without names, 7 of 100 questions of MuSiQue that were kept back lose a document among the first ten.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from retrieval.text.languages.recognition import language_of

READ: Final = 2_000
"""The most characters of a text that are read."""

LONGEST: Final = 80

_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_TITLE: Final = re.compile(r"[《『「]([^《『「」』》]{2,30})[》』」]|([\u30a1-\u30fa\u30fc]{3,30})")
_ENDS: Final = frozenset(".!?:;\n#*•|")
_MOST_JOINING: Final = 2
_SHOUTED: Final = 3
"""The most words in capitals that are a name. A longer run of capitals is not a name."""


def names_in(text: str, *, title: str = "") -> Iterator[str]:
    """The names in a title and in the beginning of its text, as they are written there. Titles in brackets and words in
    katakana are taken from the text only, and come last.

    The first word of a sentence always has a capital: alone it is a name only if it also occurs within a sentence or in
    the title.
    """
    text = text[:READ]
    language = language_of(text)
    runs = [NameRun(words=run.words) for run in _runs(title, language.joining)] + list(_runs(text, language.joining))
    inside = {word for run in runs for word in run.words[run.begins :]}
    for run in runs:
        name = language.name_in(run.words)
        is_loud = len(run.words) > _SHOUTED and all(map(str.isupper, name))
        common = run.begins and len(name) == 1 and name[0] == run.words[0] and name[0] not in inside
        if name and not is_loud and not common and 2 <= len(written := " ".join(name)) <= LONGEST:
            yield written
            yield from _parts(name, language.joining)
    yield from (match[1] or match[2] for match in _TITLE.finditer(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRun:
    """A run of words with a capital, with joining words between them. `begins` says that the first word begins a
    sentence."""

    words: list[str]
    begins: bool = False


def _runs(text: str, joining_words: frozenset[str]) -> Iterator[NameRun]:
    words: list[str] = []
    joining: list[str] = []
    begins, end = False, 0
    for match in _WORD.finditer(text):
        word, gap = match[0], text[end : match.start()]
        first, end = not end or any(map(_ENDS.__contains__, gap)), match.end()
        if words and not (gap == " " or (gap == ". " and len(words[-1]) == 1)):
            yield NameRun(words=words, begins=begins)
            words, joining = [], []
        if is_name(word):
            begins = begins if words else first
            words += [*joining, word]
            joining = []
        elif words and word in joining_words and len(joining) < _MOST_JOINING:
            joining.append(word)
        elif words:
            yield NameRun(words=words, begins=begins)
            words, joining = [], []
    if words:
        yield NameRun(words=words, begins=begins)


def _parts(name: Sequence[str], joining_words: frozenset[str]) -> Iterator[str]:
    """The parts between the joining words of a name, if they have several words ("Ada Lovelace and Karl Brandt")."""
    for is_joining, group in groupby(name, key=joining_words.__contains__):
        part = [*group]
        if not is_joining and 1 < len(part) < len(name):
            yield " ".join(part)


def is_name(word: str) -> bool:
    """Whether a word is written as a name is: with a capital, or with figures and letters."""
    return word[0].isupper() or (word.isalnum() and any(map(str.isdigit, word)) and any(map(str.isalpha, word)))
