"""The known languages, and which of them a text is in.

Each language is read from its TOML file in this folder. The words are in lower case, except `polite`. A key of a file
is a field of `Language`, and those of its tables are fields of `SmallTalk` and `Frames`. A text with commas has phrases
divided by commas, and any other text has words divided by blanks. The texts of `_NUMBERED` have names in the order of
their numbers; `/` separates names of one number. The items of an array stand as they are.

The language of a text is recognised by its common words and characters. For other languages than English, capitalised
words after the first word do not count, because they are often names ("Los Angeles", "Die Welt"). Another language must
score at least two more than English.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from unicodedata import normalize

from retrieval.model.conversation import Message

Names: TypeAlias = Literal["capitals", "runs", "marks"]
"""The way in which a language writes names. With `capitals`, a capitalised word is a name. With `runs`, every noun has
a capital. Then a name is an acronym or has two capitalised words in a row (`Ada Dornbusch`, but not `Licht der
Städte`). With `marks`, there are no capitals, and only title marks and runs of katakana show names."""

_LONGEST_ACRONYM: Final = 5
_LATIN_ENDS: Final = "\u2e80"
_LETTER: Final = re.compile(r"\w")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_UNSPACED_BEGINS, _UNSPACED_ENDS = "\u3040", "\ua000"
_SPOKEN: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")

LATIN_ABBREVIATIONS: Final = frozenset(
    "dr mr mrs ms prof st vs eg ie e.g i.e cf fig no vol pp al inc ltd co corp jr sr u.s u.k ph.d".split()
)
_NUMBERED: Final = frozenset({"months", "numbers"})
_AS_WRITTEN: Final = frozenset({"code", "names", "spaced", "joins", "letters"})


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SmallTalk:
    """The courtesies of a language: greetings, thanks and farewells, without punctuation. `replies` has the reply to
    each of these three kinds. `asides` are phrases such as "please" that may stand beside a question. A message of only
    asides is not answered as small talk. `asks` are words that, like question words, can begin a question directly
    after a greeting. `praise` has phrases that thank, agree or praise, and `beside` has phrases that may stand beside
    them ("perfect, that helps me a lot"). `praise` has no usual word of a question in another language.
    """

    greetings: frozenset[str]
    thanks: frozenset[str]
    farewells: frozenset[str]
    asides: frozenset[str]
    asks: frozenset[str] = frozenset()
    praise: frozenset[str]
    beside: frozenset[str]
    replies: tuple[str, str, str]

    @cached_property
    def replies_to(self) -> Mapping[str, str]:
        """The reply to each greeting, each thanks and each farewell."""
        kinds = zip((self.greetings, self.thanks, self.farewells), self.replies, strict=True)
        return {phrase: reply for phrases, reply in kinds for phrase in phrases}

    def praises(self, text: str) -> bool:
        """Whether a text in lower case has only courtesies, of which one thanks, agrees or praises. Accents may be left
        out. The time is linear in the length of the text."""
        text = _unaccented(text)
        return self._praise.search(text) is not None and _LETTER.search(self._courtesy.sub(" ", text)) is None

    @cached_property
    def _praise(self) -> re.Pattern[str]:
        return _whole(self.praise | self.thanks)

    @cached_property
    def _courtesy(self) -> re.Pattern[str]:
        return _whole(self.praise | self.beside | self.replies_to.keys() | self.asides)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Frames:
    """The fixed sentences and headings of an answer. They introduce passages that no model has read, stand beside the
    text of a model, or are the whole answer. `cut` says that the text breaks off. `other_language` contains
    `{languages}`, and `languages` has the names of the known languages, in the order of `KNOWN`. `failed` contains
    `{why}`.
    """

    nothing: str
    unsearched: str
    left_out: str
    unread: str
    failed: str
    other_language: str
    languages: str
    cut: str
    unsure: str
    to_go_on: str
    missing: str
    sources: str
    offer: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Language:
    """The data of a language.

    `code` is the ISO 639-1 code. `letters` are typical: a text with one of them and a word of the language is more
    likely in this language. `pointers` are words that refer to earlier turns. `polite` are capitalised forms of
    address, which are not pointers. `asking` are question words. `asked` are words that are common in questions, but
    not stop words. Pointers, `stop_words` and question words are never the subject of a question. `spaced` is false for
    a language without blanks between words. The lists of such a language have only words that are rarely part of
    another word. `joins` are the characters that may join parts of a word. If they are empty, as for French, the
    letters before an apostrophe are an article (`L’architecte`). `months` are the numbers of the months by their names.
    `dates` are weekdays. `nameless` are words such as nationalities, measures and forms of address. Dates and nameless
    words may have a capital, but are not names. `relations` join two things in a question ("of", "whose", "'s"). Words
    with the endings of `participles` also do this ("containing", "founded"). `joining` are small words within names. A
    language whose `names` are "marks" does not need `dates` and the members after it, up to `joining`. The full stop
    after one of the `abbreviations` does not end a sentence. After one of the `numbered` abbreviations it does not end
    a sentence before a number (`Art. 5`). `openers` are phrases at the beginning of an answer that have no content of
    their own ("yes", "in short"). `negations` are words that deny. In a language without Latin letters they may be
    parts of words. `numbers` has the values of the number words from one to twelve. `addressing` are words that ask for
    the address of a page or a mailbox. `now` are words whose meaning depends on the day ("today"). Of `beside_periods`
    ("last") and `periods` ("year") each alone does not, but the two beside each other do. `ordinals` are words that may
    follow an ordinal number with a full stop (`31. März`).
    """

    code: str
    letters: str = ""
    pointers: frozenset[str]
    polite: frozenset[str] = frozenset()
    stop_words: frozenset[str]
    asking: frozenset[str]
    asked: frozenset[str] = frozenset()
    months: Mapping[str, int] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    nameless: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    participles: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    abbreviations: frozenset[str] = LATIN_ABBREVIATIONS
    numbered: frozenset[str] = frozenset()
    ordinals: frozenset[str] = frozenset()
    names: Names
    spaced: bool = True
    joins: str = "'’-"
    openers: frozenset[str]
    negations: frozenset[str]
    numbers: Mapping[str, int]
    now: frozenset[str]
    beside_periods: frozenset[str] = frozenset()
    periods: frozenset[str] = frozenset()
    addressing: frozenset[str]
    small_talk: SmallTalk
    frames: Frames

    @cached_property
    def silent(self) -> frozenset[str]:
        """The words that are never the subject of a question."""
        return self.pointers | self.stop_words | self.asking

    @cached_property
    def never_names(self) -> frozenset[str]:
        """The words that are never a name, even with a capital."""
        return self.silent | self.months.keys() | self.dates | self.nameless

    def asks(self, word: str) -> bool:
        """Whether a word begins a question or a request."""
        return word.casefold() in self.asking | self.small_talk.asks

    def words_of(self, text: str) -> list[str]:
        """The words of a text as they are written. In a language without blanks between words, they are the parts
        between the words of `silent`."""
        return self._word.findall(self.parted(text))

    def parted(self, text: str) -> str:
        """The text. In a language without blanks between words, a blank replaces each word of `silent`."""
        return text if self.spaced else self._silent.sub(" ", text)

    def points_back(self, text: str) -> bool:
        """Whether a word of a text refers to an earlier turn."""
        if not self.spaced:
            return self._pointer.search(text) is not None
        return any(word.casefold() in self.pointers and word not in self.polite for word in self._word.findall(text))

    @cached_property
    def is_latin(self) -> bool:
        """Whether the language is written in Latin letters, with blanks between words."""
        return min(self.negations) < _LATIN_ENDS

    def denies(self, text: str) -> bool:
        """Whether a text has a negation."""
        small = text.casefold().replace("’", "'")
        if not self.is_latin:
            return any(word in small for word in self.negations)
        words = set(_SPOKEN.findall(small))
        return not self.negations.isdisjoint(words.union(*(word.split("'") for word in words if "'" in word)))

    def relates(self, text: str) -> bool:
        """Whether a text has a word that joins two things (`relations` or `participles`). The time is linear in the
        length of the text."""
        return self._relation.search(text.lower().replace("’", "'")) is not None

    def name_in(self, run: Sequence[str]) -> tuple[str, ...]:
        """The name in a run of capitalised words and joining words; () if there is no name. Joining words and words
        that are never names are removed at both ends, such as "The" in "The Bay of Pigs".
        """
        named = [at for at, word in enumerate(run) if not self._is_no_name(word)]
        kept = tuple(run[named[0] : named[-1] + 1]) if named else ()
        is_acronym = len(kept) == 1 and len(kept[0]) <= _LONGEST_ACRONYM and kept[0].isupper()
        is_run = is_acronym or any(not self.joining & {*pair} for pair in pairwise(kept))
        return kept if self.names == "capitals" or (self.names == "runs" and is_run) else ()

    def _is_no_name(self, word: str) -> bool:
        _, elided, rest = word.replace("’", "'").partition("'")
        article = not self.joins and elided != "" and rest[:1].islower()
        return article or word.casefold() in self.never_names or word in self.joining

    @cached_property
    def _word(self) -> re.Pattern[str]:
        return re.compile(rf"[^\W_]+(?:[{re.escape(self.joins)}][^\W_]+)*" if self.joins else r"[^\W_]+")

    @cached_property
    def _silent(self) -> re.Pattern[str]:
        return _any_of(self.silent)

    @cached_property
    def _pointer(self) -> re.Pattern[str]:
        return _any_of(self.pointers)

    @cached_property
    def _relation(self) -> re.Pattern[str]:
        endings = (rf"|(?<=\w\w){ending}(?!\w)" for ending in sorted(self.participles))
        return re.compile(rf"(?:\b|(?!\w))(?:{_any_of(self.relations).pattern})(?:\b|(?<!\w)){''.join(endings)}")


def _unaccented(text: str) -> str:
    """A text without the accents of Latin letters."""
    return normalize("NFC", _ACCENTS.sub("", normalize("NFD", text)))


def _whole(texts: frozenset[str]) -> re.Pattern[str]:
    """A pattern that matches any of the texts without accents. A text in Latin or Korean letters is matched as whole
    words."""
    texts = frozenset(map(_unaccented, texts))
    unspaced = frozenset(text for text in texts if _UNSPACED_BEGINS <= text < _UNSPACED_ENDS)
    words = rf"(?<!\w)(?:{_any_of(texts - unspaced).pattern})(?!\w)"
    return re.compile(f"{_any_of(unspaced).pattern}|{words}" if unspaced else words)


def _any_of(texts: frozenset[str]) -> re.Pattern[str]:
    """A pattern that matches any of the texts. It tries longer texts first."""
    return re.compile("|".join(map(re.escape, sorted(texts, key=lambda text: (-len(text), text)))))


def _read(code: str) -> Language:
    members = tomllib.loads(Path(__file__).with_name(f"{code}.toml").read_text(encoding="utf-8"))
    talk, frames = members.pop("small_talk"), Frames(**members.pop("frames"))
    replies = tuple(talk.pop("replies"))
    return Language(**_fields(members), small_talk=SmallTalk(**_fields(talk), replies=replies), frames=frames)


def _fields(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if name in _AS_WRITTEN else _field(name, value) for name, value in members.items()}


def _field(name: str, value: str | list[str]) -> frozenset[str] | Mapping[str, int]:
    if isinstance(value, list):
        return frozenset(value)
    if name in _NUMBERED:
        return {each: number for number, listed in enumerate(value.split(), 1) for each in listed.split("/")}
    text = value.casefold()
    return frozenset(" ".join(part.split()) for part in text.split(",")) if "," in text else frozenset(text.split())


KNOWN: Final = tuple(map(_read, ("en", "de", "fr", "es", "it", "pt", "zh", "ja", "ko")))
ENGLISH: Final = KNOWN[0]

READ: Final = 400
"""The number of characters at the beginning of a text that are read."""

_MOST_TURNS: Final = 40
_LEAST: Final = 2
_ASKING: Final = 3
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
            weights[word][known.code] = _ASKING if word in asking else 1
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
    languages = (recognised(message.text) for message in reversed(messages[-_MOST_TURNS:]) if message.role == "user")
    return next((language for language in languages if language is not None), None)


def recognised(text: str) -> Language | None:
    """The language of a text; None if it is not recognised."""
    return _recognised(text[:READ])


def language(code: str) -> Language:
    """The language with this code."""
    return _BY_CODE[code]


@lru_cache(maxsize=64)
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
    least = scores[second] + 1 if first == "en" else max(scores[second] + 1, scores["en"] + _LEAST)
    return language(first) if scores[first] >= max(least, _LEAST) else None


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
