"""The content words of a question, and those of a text, in the form in which they are compared.

Words are compared without case and plural. Chinese, Japanese and Korean words are pairs of neighbouring characters.
Question words and pointers ("what", "those") of the question's language do not count.

Their form is NFKC, in time that is linear in the text. A normaliser sorts the marks that follow a character by
insertion, so that 40,000 of them take seconds. As the Stream-Safe Text Format does, a joiner without meaning is put
after every thirtieth mark. Unicode Standard Annex 15, section 13:
https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
"""

import itertools
import math
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final
from unicodedata import normalize

from retrieval.text.languages.en import ENGLISH
from retrieval.text.languages.language import Language
from retrieval.text.languages.recognition import language_of

JOINER: Final = "\u034f"
MOST_MARKS: Final = 30
"""No language puts more marks on one character."""

MOST_GROWTH: Final = 4
"""The most growth of a text by NFKC: the sign for a Japanese company becomes four characters, and one sign becomes a
prayer of eighteen."""

_MARKS: Final = re.compile(rf"([^\w\s\x00-\x7f]{{{MOST_MARKS}}})(?=[^\w\s\x00-\x7f])")
"""Signs that are no letter, figure or blank. Every mark is among them, and a joiner between the others does no harm."""

MOST_WORDS: Final = 60
_CJK: Final = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD: Final = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_PAIRED: Final = re.compile(rf"[{_CJK}]")
_PARTS: Final = "s t re ve ll d m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven".split()


def nfkc(text: str) -> str:
    """The form for comparing texts that look alike; a text that would grow more than fourfold is cut."""
    if text.isascii():
        return text
    return normalize("NFKC", _MARKS.sub(rf"\1{JOINER}", text))[: MOST_GROWTH * len(text)]


def words(text: str) -> Iterator[str]:
    """The words of a text as they are compared, in order."""
    folded = _folded(text)
    found = _WORD.findall(folded)
    if not _paired(folded):
        return map(_singular, found)
    return (part for word in found for part in _parts(word))


def vocabulary(text: str) -> frozenset[str]:
    """The different words of a text, as they are compared."""
    folded = _folded(text)
    found = set(_WORD.findall(folded))
    if not _paired(folded):
        return frozenset(map(_singular, found))
    return frozenset(part for word in found for part in _parts(word))


def spellings(text: str) -> dict[str, str]:
    """The different words of a text in the form for comparing, each with its first spelling. Pairs of characters are
    spelled as they are."""
    found: dict[str, str] = {}
    for spelling in dict.fromkeys(_WORD.findall(text)):
        for word in words(spelling):
            found.setdefault(word, word if _paired(spelling) else spelling)
    return found


def of_question(question: str) -> frozenset[str]:
    """The content words of a question, at most 60."""
    language = language_of(question)
    told = (word for word in words(language.parted(question)) if word not in _silent(language))
    return frozenset(itertools.islice(dict.fromkeys(told), MOST_WORDS))


def rarity(count: int, *, of: int) -> float:
    """The weight of a word that `count` of all texts have: BM25's inverse document frequency, always positive."""
    return math.log(1 + (of - count + 0.5) / (count + 0.5))


def is_silent(word: str, language: Language = ENGLISH) -> bool:
    """Whether a word is only a question word or a pointer."""
    silent = _silent(language)
    return all(part in silent for part in words(word))


def unspaced(text: str) -> bool:
    """Whether the text has Chinese, Japanese or Korean. Its words are pairs of characters here, which are useless as
    names."""
    return _paired(_folded(text))


def _folded(text: str) -> str:
    return nfkc(text).casefold()


def _paired(text: str) -> bool:
    return not text.isascii() and _PAIRED.search(text) is not None


def _parts(word: str) -> Iterator[str]:
    """The pairs of neighbouring characters of an unspaced word; any other word as it is."""
    if _PAIRED.match(word):
        return (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return iter((_singular(word),))


@lru_cache(maxsize=8_192)
def _singular(word: str) -> str:
    """The word without an English plural, which is recognised by the last letters."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@cache
def _silent(language: Language) -> frozenset[str]:
    """The question words and pointers of a language, in the form for comparing."""
    return frozenset(_singular(word) for word in (*language.silent, *(_PARTS if language is ENGLISH else ())))


SILENT: Final = _silent(ENGLISH)
"""The question words and pointers of English."""
