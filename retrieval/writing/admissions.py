"""Whether a sentence may say, without a source, that something is missing.

An admission is one sentence. Every name, code, address, figure and quotation in it was retrieved or is in the question.
So the sentence only tells a reader that something is missing. The language of the sentence decides which words count as
names.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from retrieval.text import addresses, digits
from retrieval.text.content_words import SILENT, nfkc, unspaced, vocabulary
from retrieval.text.languages.language import Language
from retrieval.text.languages.recognition import language_of
from retrieval.text.quotations import quoted
from retrieval.text.reading import Reading
from retrieval.text.sentences import sentences

LONGEST: Final = 400
"""The most characters of an admission."""

_CODE: Final = re.compile(r"`([^`]*+)`")
_WORD: Final = re.compile(r"[^\s`“”„«»「」『』《》\"，。；：！？、（）()]++")
_MARKED: Final = re.compile(r"[「『《〈]([^」』》〉]*+)[」』》〉]")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]")
_TECHNICAL: Final = re.compile(r"[0-9_/\\@#$%=<>{}\[\]*+|~^&]|[^\W\d_]\.[^\W_]|^-|[^\W\d_]:[^\W_]")


@dataclass(frozen=True, eq=False)
class Known:
    """The question, and texts that were retrieved."""

    texts: Sequence[Reading]

    def admits(self, text: str) -> bool:
        """Whether the text is one sentence that names only known things."""
        text = nfkc(text)
        reading = Reading(text)
        if len(text) > LONGEST or len(sentences(text)) > 1:
            return False
        figures, addressed = [known.figures for known in self.texts], (known.addresses for known in self.texts)
        if any(digits.unknown(text, figures)) or reading.addresses.difference(*addressed):
            return False
        names = _names(addresses.without(_CODE.sub(" ", text)))
        return all(_flat(run) in self._text for run in _verbatim(text)) and all(
            vocabulary(name) - SILENT <= self._words for name in names
        )

    @cached_property
    def _text(self) -> str:
        return _flat(" ".join(reading.text for reading in self.texts))

    @cached_property
    def _words(self) -> Set[str]:
        return frozenset[str]().union(*(reading.words for reading in self.texts))


def _flat(text: str) -> str:
    """A text in the form in which code and quotations of an admission are looked up."""
    return " ".join(nfkc(text).split()).casefold()


def _verbatim(text: str) -> Iterator[str]:
    """The code, titles and quotations in a text, which must be known word for word."""
    yield from _CODE.findall(text)
    yield from _MARKED.findall(text)
    yield from (text[start:end].rstrip(".,") for start, end in quoted(text))


def _names(text: str) -> Iterator[str]:
    """The words that name something. Such a word has a capital, is a technical term, or is in Latin letters in a text
    that has Chinese, Japanese or Korean characters."""
    language, among_signs = language_of(text), unspaced(text)
    words = [word.strip(".,;:!?'’‘…–—") for word in _WORD.findall(text)]
    for place, word in enumerate(words):
        capital = word[:1].isupper() and place > 0 and not _is_usual(word, language)
        beside = [words[at] for at in (place - 1, place + 1) if 0 <= at < len(words)]
        if (
            _TECHNICAL.search(word)
            or any(letter.isupper() for letter in word[1:])
            or (among_signs and _LATIN.search(word))
            or (capital and (language.names != "runs" or _in_a_run(beside, place, language)))
        ):
            yield word


def _in_a_run(beside: list[str], place: int, language: Language) -> bool:
    """Whether a neighbouring word has a capital too. The first word of the text does not count."""
    others = beside[1:] if place == 1 else beside
    return any(word[:1].isupper() and not _is_usual(word, language) for word in others)


def _is_usual(word: str, language: Language) -> bool:
    return word.casefold() in language.never_names
