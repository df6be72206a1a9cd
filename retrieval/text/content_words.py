"""The words of a text and the content words of a question, in the form in which they are compared. The form ignores
case and the English plural. In Chinese, Japanese, Korean, Thai and other scripts that are written without blanks, words
are pairs of neighbouring characters. Content words exclude the question words, stop words and pointers ("those") of the
question's language. Texts are normalised to NFKC in linear time. `normalize` sorts the combining marks after a
character in quadratic time: 40,000 marks would take seconds. Therefore an invisible joiner is inserted after every 30
marks, as in the Stream-Safe Text Format. Unicode Standard Annex 15, section 13:
https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Final
from unicodedata import normalize

from retrieval.text.languages.language import ENGLISH, KNOWN, Language, language_of

UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ece\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"  # Burmese, Mon, Shan
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    "\u1950-\u1974\u1980-\u19c9\u1a20-\u1a7c\u1aa7\uaa80-\uaadd\U00011700-\U0001172b"  # Tai, Ahom
    "\ua980-\ua9c0\u1b00-\u1b4c"  # Javanese, Balinese
    "\ua000-\ua48c"  # Yi
)
"""The letters of scripts that are written without blanks between words, as ranges for a character class. Only a
dictionary can find their words, so texts are compared by pairs of neighbouring characters, as Chinese.

They are the scripts of the line-breaking class SA, and those of Java, Bali and the Yi. Vowel signs and tone marks are
included, digits and punctuation are not. Unicode Standard Annex 14: https://www.unicode.org/reports/tr14/#SA
"""

JOINER: Final = "\u034f"
MOST_MARKS: Final = 30
"""The most combining marks in a row without a joiner. No language uses more marks on one character."""

MOST_GROWTH: Final = 4
"""`nfkc` cuts its result at this many times the length of the text. The sign for a Japanese company becomes four
characters, and one Arabic sign becomes eighteen."""

_MARKS: Final = re.compile(rf"([^\w\s\x00-\x7f]{{{MOST_MARKS}}})(?=[^\w\s\x00-\x7f])")
"""Thirty non-ASCII characters in a row that are not letters, digits or blanks, before another such character. All
combining marks are such characters. Between others, a joiner does no harm."""

MOST_WORDS: Final = 60
_IN_PAIRS: Final = rf"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af{UNSPACED}"
_WORD: Final = re.compile(rf"[{_IN_PAIRS}]+|[^\W_{_IN_PAIRS}]+")
_PAIRED: Final = re.compile(rf"[{_IN_PAIRS}]")
_PARTS: Final = "s t re ve ll d m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven".split()


def nfkc(text: str) -> str:
    """The text in the form NFKC, in which the different Unicode forms of the same character are equal. The result is
    cut at four times the length of the text."""
    if text.isascii():
        return text
    return normalize("NFKC", _MARKS.sub(rf"\1{JOINER}", text))[: MOST_GROWTH * len(text)]


def words(text: str) -> Iterator[str]:
    """The words of a text in the form for comparing, in their order."""
    folded = _folded(text)
    found = _WORD.findall(folded)
    if not _paired(folded):
        return map(_singular, found)
    return (part for word in found for part in _parts(word))


def vocabulary(text: str) -> frozenset[str]:
    """The different words of a text in the form for comparing."""
    return frozenset(words(text))


def spellings(text: str) -> dict[str, str]:
    """The different words of a text in the form for comparing, each with its first spelling. The spelling of a pair of
    characters is the pair."""
    found: dict[str, str] = {}
    for spelling in dict.fromkeys(_WORD.findall(text)):
        in_pairs = _paired(spelling)
        for word in words(spelling):
            found.setdefault(word, word if in_pairs else spelling)
    return found


def of_question(question: str) -> frozenset[str]:
    """The content words of a question, at most 60."""
    language = language_of(question)
    told = (word for word in words(language.parted(question)) if word not in _silent(language))
    return frozenset(itertools.islice(dict.fromkeys(told), MOST_WORDS))


@lru_cache(maxsize=128)
def subject(search: str) -> frozenset[str]:
    """The subject of a search text: its content words, and its question words. A text is often too short for its
    language to be recognised, so the function words of every language are left out, except negations, and words in
    capitals ("US", "vitamin A"). In a script without blanks each character is a word here. A text without content words
    is its own subject. The last subjects are kept, since a model may repeat a text.

    One more content word makes another subject. Of 588 plans of models 23 pairs of queries have the same content words,
    and 22 of these pairs the same subject.
    """
    if unspaced(search):
        text = _PAIRED.sub(r" \g<0> ", language_of(search).parted(search))
    else:
        text = _ELISION.sub(" ", search)
    capitals = vocabulary("" if text.isupper() else " ".join(_CAPITALS.findall(text)))
    return vocabulary(text) - (_function_words() - capitals) or frozenset((_folded(search).strip(),))


def rarity(count: int, *, of: int) -> float:
    """The weight of a word that `count` of `of` texts contain. It is the inverse document frequency of BM25 in Lucene's
    form, which is always positive."""
    return math.log(1 + (of - count + 0.5) / (count + 0.5))


def is_silent(word: str, language: Language = ENGLISH) -> bool:
    """Whether a word is a question word, a stop word or a pointer."""
    silent = _silent(language)
    return all(part in silent for part in words(word))


def unspaced(text: str) -> bool:
    """Whether the text has characters of a script without blanks between words, as Chinese. Of these characters,
    `words` returns pairs instead of whole words."""
    return _paired(_folded(text))


def _folded(text: str) -> str:
    return nfkc(text).casefold()


def _paired(text: str) -> bool:
    return not text.isascii() and _PAIRED.search(text) is not None


def _parts(word: str) -> Iterator[str]:
    """The pairs of neighbouring characters of a run without blanks. Any other word gives its singular."""
    if _PAIRED.match(word):
        return (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return iter((_singular(word),))


@lru_cache(maxsize=8_192)
def _singular(word: str) -> str:
    """The word without the ending of an English plural."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@cache
def _silent(language: Language) -> frozenset[str]:
    """The question words, stop words and pointers of a language, in the form for comparing. English has parts of
    contractions too ("doesn")."""
    return frozenset(_singular(word) for word in (*language.silent, *(_PARTS if language is ENGLISH else ())))


def _compared(listed: Iterable[frozenset[str]]) -> frozenset[str]:
    return vocabulary(" ".join(itertools.chain.from_iterable(listed)))


@cache
def _function_words() -> frozenset[str]:
    """The stop words and pointers of all languages, without negations, in the form for comparing."""
    asking = _compared(language.asking for language in KNOWN if language.spaced)
    return (
        _compared(language.silent for language in KNOWN)
        - _compared(language.negations for language in KNOWN)
        - (asking - _compared(language.stop_words for language in KNOWN))
        - {*"bcdefghijklmnopqrstuvwxyz"}
    )


_ELISION: Final = re.compile(r"(?<=\w)['’][sS]\b|\b\w{1,5}['’](?=\w\w)")
_CAPITALS: Final = re.compile(r"(?!\A[AI]\b)(?<!\w)[A-Z]+(?!\w)")

SILENT: Final = _silent(ENGLISH)
"""The question words, stop words and pointers of English."""
