"""How much of a question a passage has: the weight of the question's words in it, and whether it can be the answer.

Words are compared without their commonest endings. Pure, and linear in the texts.
"""

import itertools
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from retrieval.engine import answer_kinds
from retrieval.engine.answer_kinds import Kind
from retrieval.engine.passages import Passage, passages
from retrieval.model.conversation import Message
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text import small_talk
from retrieval.text.clipped import LONGEST_READ, ends
from retrieval.text.content_words import SILENT, as_written, rarity, unspaced, vocabulary, words
from retrieval.text.languages.en import ENGLISH
from retrieval.text.sentences import sentences
from retrieval.text.standalone_question import standalone

REMEMBERED: Final = 32
"""Cached texts: the judgement and the answer of a call read the same few."""

UNHEARD_PAIR: Final = 0.25
"""The factor on two neighbouring Chinese characters that no text has: they often belong to two words."""

CARRIED: Final = 0.5
"""The factor on a word of an earlier message."""

LEAST_NAME: Final = 4
MOST_SAID: Final = 40
"""Sentences of a text that tell whether it is a conversation."""

MOST_NAMING: Final = 20
"""Passages of a text in which a name is looked at."""

LEAST_COURTESIES: Final = 2
"""Courtesies in a text that make it a conversation, which is no evidence."""

_ENDING: Final = re.compile(r"(?<=[^\W\d_]{4})(?:ings?|e?rs?|ed|es|en|e|s|t)\Z")
_BRACKETS: Final = re.compile(r"\s*+\([^()]*\)\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question: the weight of each content word without its ending, their sum, and the kinds of answer it asks for.

    `said` are all its words. `what` tells a question for something from a question whether something is so.
    """

    text: str
    weighed: Mapping[str, float]
    total: float
    said: Set[str]
    kinds: Set[Kind]
    what: bool

    def share(self, some: Set[str]) -> float:
        """The share of the question that some of its words have, 0 to 1."""
        return sum(self.weighed[word] for word in some) / self.total

    def heard(self, text: str) -> Set[str]:
        """The question's words in a text."""
        return self.weighed.keys() & roots(text)

    def adds(self, answer: str) -> bool:
        """Whether a text has a word that the question lacks, where the question asks what; and is no courtesy."""
        new = not self.what or not vocabulary(answer) <= self.said | SILENT
        return new and not is_courtesy(answer)

    def of_the_kind(self, answer: str) -> bool:
        return any(answer_kinds.gives(kind, answer, question=self.text) for kind in self.kinds)


class Question(NamedTuple):
    """The last message of the user, the same with words of earlier ones, and the message before it if they are lent."""

    text: str
    alone: str
    earlier: str = ""


class Text(NamedTuple):
    """A chunk as it is read: its document's title, its text, whether the document goes on, its score if it has one.

    `terms` are its keywords, as the headings of its part.
    """

    title: str
    text: str
    goes_on: bool
    score: float | None
    terms: str = ""


class Read(NamedTuple):
    """A passage with the words that it says, those of what leads to it, and those of what is above it."""

    passage: Passage
    said: Set[str]
    lead: Set[str]
    above: Set[str]


def question_of(conversation: Sequence[Message]) -> Question:
    """The last message of the user, and what it leaves to earlier ones."""
    said = [
        ends(" ".join(ends(one.text, LONGEST_READ).split()), LONGEST_SEARCH)
        for one in conversation
        if one.role == "user"
    ]
    alone = standalone(conversation)
    return Question(text=said[-1], alone=alone, earlier=said[-2] if len(said) > 1 and alone != said[-1] else "")


def asked(question: Question, texts: Sequence[Text]) -> Asked:
    """A question; a word weighs more the fewer texts have it (BM25's inverse document frequency)."""
    said = [roots(one.title).union(*(part.said | part.above for part in read(one.text))) for one in texts]
    own = roots(question.text)
    weighed = {
        word: _weight(word, said) * (1.0 if word in own else CARRIED) for word in map(_root, as_written(question.alone))
    }
    kinds = answer_kinds.asked_for(question.text) or answer_kinds.asked_for(question.earlier)
    return Asked(
        text=f"{question.earlier} {question.text}" if question.earlier else question.text,
        weighed=weighed,
        total=sum(weighed.values()),
        said=frozenset(words(question.alone)),
        kinds=kinds,
        what=answer_kinds.asks_what(question.text) or bool(kinds),
    )


def _weight(word: str, said: Sequence[Set[str]]) -> float:
    count = sum(word in one for one in said)
    weight = rarity(count, of=len(said))
    return weight if count or not unspaced(word) else UNHEARD_PAIR * weight


@lru_cache(maxsize=REMEMBERED)
def read(text: str) -> tuple[Read, ...]:
    """The passages of a text with their words."""
    found: list[Read] = []
    above: dict[str, Set[str]] = {}
    for one in passages(text):
        told = " ".join([one.under, *(name for row in one.rows[:1] for name, _ in row)])
        if told not in above:
            above[told] = roots(told)
        said = frozenset() if one.whole else roots(text[one.start : one.end])
        lead = roots(text[one.start : one.told]) if one.listed else said
        found.append(Read(passage=one, said=said, lead=lead, above=above[told]))
    return tuple(found)


def about(question: Asked, one: Read, title: Set[str]) -> tuple[Set[str], Set[str]]:
    """The question's words in a passage, and those of its title, its heading and the headers of its row.

    Of a list the items count only where steps are asked for: a long list has something of every question. Of a short
    text only the title counts.
    """
    own = one.said if one.passage.ordered and "steps" in question.kinds else one.lead
    return question.weighed.keys() & own, title | (question.weighed.keys() & one.above)


def named(question: Asked, texts: Sequence[Text]) -> Sequence[float]:
    """For each text, 0 to 1: how much of the question is near its title where another text names it, twice over.

    0 where the question only asks whether something is so.
    """
    names = [_name(one.title) if question.what else "" for one in texts]
    return [
        max((_near(question, name, other) for other in texts if other is not one), default=0.0) if name else 0.0
        for one, name in zip(texts, names, strict=True)
    ]


@lru_cache(maxsize=REMEMBERED)
def is_conversation(text: str) -> bool:
    """Whether a text is small talk: two of its sentences, and a fifth of them, have courtesies at their ends."""
    said = [text[one.start : one.end] for one in sentences(text)[:MOST_SAID]]
    courtesies = sum(map(is_courtesy, said))
    return courtesies >= LEAST_COURTESIES and 5 * courtesies >= len(said)


def is_courtesy(text: str) -> bool:
    """Whether a short text is, begins or ends with a greeting, thanks or a farewell. A fence of code is none."""
    said = " ".join(text.split())
    return not said.startswith(("```", "~~~")) and len(said) <= small_talk.LONGEST and small_talk.around(said) != said


def roots(text: str) -> frozenset[str]:
    """The different words of a text without their endings."""
    return frozenset(map(_root, vocabulary(text)))


@lru_cache(maxsize=8_192)
def _root(word: str) -> str:
    """Without an ending of English or German inflection, twice: "brightening" and "brighter" are "bright"."""
    return _ENDING.sub("", _ENDING.sub("", word))


def _name(title: str) -> str:
    """The title without what is in brackets at its end, if it is written as names are; else ""."""
    name = _BRACKETS.sub("", title).strip()
    capital = all(part[0].isupper() or part[0].isdigit() or part in ENGLISH.joining for part in name.split())
    return name if len(name) >= LEAST_NAME and capital else ""


def _near(question: Asked, name: str, other: Text) -> float:
    if name not in other.text:
        return 0.0
    title = question.heard(other.title)
    naming = (one for one in read(other.text) if name in other.text[one.passage.start : one.passage.end])
    parts = itertools.islice(naming, MOST_NAMING)
    return min(2 * max((question.share(question.weighed.keys() & one.lead | title) for one in parts), default=0.0), 1.0)
