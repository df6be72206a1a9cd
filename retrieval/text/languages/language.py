"""The data about a language for the rules. Words are without case; every language has all members."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from string import ascii_lowercase
from typing import Final, Literal, TypeAlias

Names: TypeAlias = Literal["capitals", "runs", "marks"]
"""How names are written. With `capitals` a capital shows a name. With `runs` every noun has a capital, so only two
words next to each other, or an acronym, are a name (`Ada Dornbusch`, not `Licht der Städte`). With `marks` there are no
capitals, so only title marks show names."""

_LONGEST_ACRONYM: Final = 5
_LATIN_ENDS: Final = "\u2e80"
_SPOKEN: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def words(text: str) -> frozenset[str]:
    """The words of a list that is divided by blanks, without case."""
    return frozenset(text.casefold().split())


LETTERS: Final = frozenset(ascii_lowercase)
LATIN_ABBREVIATIONS: Final = words(
    "dr mr mrs ms prof st vs eg ie e.g i.e cf fig no vol pp al inc ltd co corp jr sr u.s u.k ph.d"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallTalk:
    """Phrases without punctuation, and the reply to each kind: greetings, thanks, farewells.

    `asides` are words beside a question that are no courtesy: a message of only these words needs an answer. `asks`
    begin a question that follows a greeting without a comma, as question words do.
    """

    greetings: frozenset[str]
    thanks: frozenset[str]
    farewells: frozenset[str]
    asides: frozenset[str]
    asks: frozenset[str] = frozenset()
    replies: tuple[str, str, str]

    @cached_property
    def replies_to(self) -> Mapping[str, str]:
        """The reply to each courtesy."""
        kinds = zip((self.greetings, self.thanks, self.farewells), self.replies, strict=True)
        return {phrase: reply for phrases, reply in kinds for phrase in phrases}


@dataclass(frozen=True, eq=False, kw_only=True)
class Frames:
    """The sentences around passages that nobody has read, and around what a model wrote.

    `failed` has `{why}`; `unfounded` has `{figures}`, which stand behind a claim whose source has none of them.
    """

    nothing: str
    left_out: str
    unread: str
    failed: str
    unsure: str
    to_go_on: str
    missing: str
    sources: str
    unfounded: str
    offer: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Language:
    """A language, by its ISO 639-1 `code`.

    `pointers` point back to earlier turns. A `polite` address, which has a capital, is no pointer. Pointers,
    `stop_words` and `asking` words are not the subject of a question. In a language without `spaced` words, the lists
    have only words that are hardly ever part of another word. `joins` are signs within words; without `'`, as in
    French, the letters before it are an article (`L’architecte`). `dates` are months and weekdays. Dates and `nameless`
    words (nationalities, measures, forms of address) have a capital in some languages, but name nothing. `relations`
    join two things in a question ("of", "whose", "'s"), as words with the endings of `participles` do ("containing",
    "founded"); `joining` are small words within names. A language whose names have `marks` needs none of these lists.
    `abbreviations` end with a full stop that ends no sentence; for `numbered` abbreviations this holds only before a
    figure (`Art. 5`). `openers` begin an answer, and mean nothing alone ("yes", "in short"). `negations` deny; if they
    are not Latin, they are parts of words. `numbers` are words for small numbers, with their values. `addressing` words
    ask for the address of a page or a mailbox, also as the beginning or the end of a longer word. `ordinals` are the
    words before which a figure with a full stop is an ordinal (`31. März`).
    """

    code: str
    pointers: frozenset[str]
    polite: frozenset[str] = frozenset()
    stop_words: frozenset[str]
    asking: frozenset[str]
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
    addressing: frozenset[str]
    small_talk: SmallTalk
    frames: Frames

    @cached_property
    def silent(self) -> frozenset[str]:
        """The words that are not the subject of a question."""
        return self.pointers | self.stop_words | self.asking

    @cached_property
    def never_names(self) -> frozenset[str]:
        """The words that are no name even with a capital."""
        return self.silent | self.dates | self.nameless

    def asks(self, word: str) -> bool:
        """Whether a word begins a question or a request."""
        return word.casefold() in self.asking | self.small_talk.asks

    def words_of(self, text: str) -> list[str]:
        """The words of a text as they are written. Where words are not spaced, they are the parts between silent
        words."""
        return self._word.findall(self.parted(text))

    def parted(self, text: str) -> str:
        """The text; where words are not spaced, with blanks instead of silent words."""
        return text if self.spaced else self._silent.sub(" ", text)

    def points_back(self, text: str) -> bool:
        """Whether a word of a text points back to what was said before."""
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
        """Whether a word of a text joins two things. Linear in the text."""
        return self._relation.search(text.lower().replace("’", "'")) is not None

    def name_in(self, run: Sequence[str]) -> tuple[str, ...]:
        """The words that are a name in a run of words with a capital (and small joining words); () if there is none.

        Joining words and words that are never names are cut off at both ends ("The Bay of Pigs").
        """
        named = [at for at, word in enumerate(run) if not self._is_no_name(word)]
        kept = tuple(run[named[0] : named[-1] + 1]) if named else ()
        return kept if self._is_name(kept) else ()

    def _is_no_name(self, word: str) -> bool:
        _, elided, rest = word.replace("’", "'").partition("'")
        article = not self.joins and elided != "" and rest[:1].islower()
        return article or word.casefold() in self.never_names or word in self.joining

    def _is_name(self, run: Sequence[str]) -> bool:
        match self.names:
            case "capitals":
                return bool(run)
            case "runs":
                acronym = len(run) == 1 and len(run[0]) <= _LONGEST_ACRONYM and run[0].isupper()
                return acronym or any(not self.joining & {*pair} for pair in pairwise(run))
            case _:
                return False

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
        endings = (rf"(?<=\w\w){ending}(?!\w)" for ending in sorted(self.participles))
        return re.compile("|".join([*(self._bounded(word) for word in sorted(self.relations)), *endings]))

    def _bounded(self, word: str) -> str:
        before = r"(?<!\w)" if word[0].isalnum() else ""
        after = r"(?!\w)" if word[-1].isalnum() else ""
        return f"{before}{re.escape(word)}{after}"


def _any_of(texts: frozenset[str]) -> re.Pattern[str]:
    """A pattern for one of the texts, with the longest first."""
    return re.compile("|".join(map(re.escape, sorted(texts, key=lambda text: (-len(text), text)))))


def numbers(units: str, *, tens: str, joined: str = "") -> Mapping[str, int]:
    """The values of number words: `units` from zero on, `tens` from twenty on in tens; `/` divides words of one value.

    `joined` is the form of a word from `{unit}` and `{ten}`, in languages that have such words.
    """
    small = [(value, word) for value, words in enumerate(units.split()) for word in words.split("/")]
    large = [(10 * at, word) for at, words in enumerate(tens.split(), 2) for word in words.split("/")]
    both = [
        (ten + unit, joined.format(unit=word, ten=tenth))
        for ten, tenth in large
        for unit, word in small
        if 0 < unit < 10
    ]
    return {word: value for value, word in (*(both if joined else ()), *small, *large)}


def phrases(text: str, *, divided_by: str = ",") -> frozenset[str]:
    """The phrases of a divided list, without case."""
    return frozenset(phrase for part in text.split(divided_by) if (phrase := " ".join(part.casefold().split())))
