"""Recognises the language of a text by its common words and characters. For other languages than English, capitalised
words after the first word do not count, because they are often names ("Los Angeles", "Die Welt").

Another language must score at least two more than English.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from retrieval.model.conversation import Message
from retrieval.text.languages.language import ENGLISH, KNOWN, Language

READ: Final = 400
"""The number of characters at the beginning of a text that are read."""

REMEMBERED: Final = 64
"""The number of texts whose language is cached."""

MOST_TURNS: Final = 40
LEAST: Final = 2
ASKING: Final = 3
"""The weight of a question word."""

_WORD: Final = re.compile(r"[^\W\d_\u2e80-\U0010ffff]+")
_ASCII_WORD: Final = re.compile("[A-Za-z]+")
_HAN: Final = r"[\u3400-\u9fff]"
_KANA: Final = r"[\u3040-\u30ff]"
_HANGUL: Final = r"[\uac00-\ud7af]"
_MIDDLE_DOT: Final = "\u30fb"
"""The Japanese middle dot, which is no letter. The patterns are compiled for the first text that is not ASCII."""
_SIGNS_PER_KANA: Final = 8
"""A text is Japanese if at least one in this many Chinese or Japanese characters is kana."""

_BY_CODE: Final = {known.code: known for known in KNOWN}
CODES: Final = tuple(_BY_CODE)
OPENERS: Final = frozenset[str]().union(*(known.openers for known in KNOWN))
"""The phrases that open an answer ("in short"), of every language, in lower case and without punctuation at the end."""

ADDRESSING: Final = frozenset[str]().union(*(known.addressing for known in KNOWN))
"""The words that ask for the address of a page or a mailbox ("link", "website"), of every language, in lower case."""

_BY_WORDS: Final = tuple(known for known in KNOWN if known.is_latin)

_ENGLISH_TOO: Final = frozenset("come comment dove quanta was".split())
"""Question words of other languages that are also English words. Their weight is 1."""

_NEVER: Final = frozenset("a c d f fa font has j l m n s t".split())
"""Words that do not count for languages other than English: parts of words, and words of English text and code."""

_SHARED: Final = frozenset("am me no so".split())
"""Words that do not count for English, because they are equally common in other languages."""


def _weights() -> Mapping[str, Mapping[str, int]]:
    """The weight of each word in each language that has the word."""
    weights: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for known in _BY_WORDS:
        asking = known.asking - _ENGLISH_TOO
        for word in (known.silent | known.asked) - (_SHARED if known is ENGLISH else _NEVER):
            weights[word][known.code] = ASKING if word in asking else 1
    return weights


_WEIGHTS: Final = _weights()


def language_of(text: str) -> Language:
    """The language of a text; English if no language is recognised."""
    return recognised(text) or ENGLISH


def language_of_conversation(messages: Sequence[Message]) -> Language:
    """The language of the user's latest turn whose language is recognised. Only the last forty turns are read. English
    if no language is recognised."""
    return recognised_of_conversation(messages) or ENGLISH


def recognised_of_conversation(messages: Sequence[Message]) -> Language | None:
    """The same language; None if no language is recognised."""
    languages = (recognised(message.text) for message in reversed(messages[-MOST_TURNS:]) if message.role == "user")
    return next((language for language in languages if language is not None), None)


def recognised(text: str) -> Language | None:
    """The language of a text; None if it is not recognised."""
    return _recognised(text[:READ])


def language(code: str) -> Language:
    """The language with this code."""
    return _BY_CODE[code]


@lru_cache(maxsize=REMEMBERED)
def _recognised(read: str) -> Language | None:
    """The language with the highest score; None if the score or its lead over the other languages is too
    small."""
    plain = read.isascii()
    words_read = (_ASCII_WORD if plain else _WORD).findall(read.lower() if read.isupper() else read)
    if not plain and (code := _code_of_signs(read, word_count=len(words_read))):
        return language(code)
    scores = {known.code: 0 for known in _BY_WORDS}
    for word in frozenset(words_read):
        small = word.islower() or word == words_read[0]
        for code, weight in _WEIGHTS.get(word.casefold(), {}).items():
            scores[code] += weight * (small or code == "en")
    if not plain:
        for code, score in scores.items():
            scores[code] += score > 0 and any(letter in read for letter in _BY_CODE[code].letters)
    first, second = sorted(scores, key=scores.__getitem__, reverse=True)[:2]
    least = scores[second] + 1 if first == "en" else max(scores[second] + 1, scores["en"] + LEAST)
    return language(first) if scores[first] >= max(least, LEAST) else None


def _code_of_signs(read: str, *, word_count: int) -> str | None:
    """The code of Korean, Japanese or Chinese, from the counts of their characters; None if there are fewer than two
    characters for each of the words in other letters."""
    han, kana, hangul = (len(re.findall(signs, read)) for signs in (_HAN, _KANA, _HANGUL))
    signs = han + kana + hangul - read.count(_MIDDLE_DOT)
    if not signs or signs < 2 * word_count:
        return None
    if 2 * hangul > signs:
        return "ko"
    return "ja" if _SIGNS_PER_KANA * kana >= signs else "zh"
