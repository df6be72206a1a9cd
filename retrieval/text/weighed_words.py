"""The words that a search looks for after a conversation, each with its weight. No model is asked.

The words of the last message weigh 1. Those of the user's earlier messages weigh .35 for each turn of age, and the
eight rarest of the last answer .2: what people ask next is mostly about what was just said. A word that is said in
several places has the sum. A long question needs less of the conversation, and one that says something new in words of
its own needs little of it. The weights were chosen on a sample of MTRAG (docs/calling/retrieve.md).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from retrieval.model.conversation import Message, question_place
from retrieval.model.search import LONGEST_SEARCH, Weighed
from retrieval.text.clipped import LONGEST_READ, clip, ends
from retrieval.text.languages.recognition import language_of
from retrieval.text.source_labels import without
from retrieval.text.standalone_question import MOST_TURNS, leans_on_earlier_turns, standalone

DECAY: Final = 0.35
"""What a word of the user's loses with each turn of age."""

ANSWERED: Final = 0.2
MOST_ANSWERED: Final = 8
AGAIN: Final = 3
"""Saying a word more often than this does not make it rarer."""

ENOUGH: Final = 4
"""A question with more words of its own gets as much less of the conversation."""

NEW_TOPIC: Final = 0.3
SAID_BEFORE: Final = 1 / 3
FRAGMENT: Final = 2
"""With so few words a question means nothing to a ranker, which then reads it with words of earlier messages."""

MOST_COMPARED: Final = 10
"""Messages that a question's words are looked for in, to tell a new topic."""

LEAST: Final = 0.05
MOST: Final = 40
SHOWN: Final = 12

_APART: Final = re.compile(r"[\s，。！？；：、（）「」『』《》]+")
_SIGNS: Final = ".,;:!?()[]{}\"'“”‘’«»…*_`<>|¿¡"


def weighed(conversation: Sequence[Message]) -> Weighed | None:
    """The words of a conversation up to the user's last message; None where nothing was said before it."""
    at = question_place(conversation)
    earlier, asked = conversation[:at], ends(conversation[at].text, LONGEST_READ)
    said = _said(earlier)
    if not said:
        return None
    own = dict.fromkeys(_terms(asked), 1.0)
    share = _share(asked, own, earlier)
    spelled = {word.casefold(): word for word in (*said, *own)}
    weights = defaultdict(float, {word.casefold(): weight for word, weight in own.items()})
    for word, weight in said.items():
        weights[word.casefold()] += share * weight
    order = sorted(weights, key=lambda word: -weights[word])[:MOST]
    heaviest = [(spelled[word], round(weights[word], 2)) for word in order if weights[word] >= LEAST]
    ranked = standalone(conversation) if len(own) <= FRAGMENT else asked
    return Weighed(words=tuple(heaviest), ranked=ends(" ".join(ranked.split()), LONGEST_SEARCH))


def shown(question: str, weighed: Weighed) -> str:
    """The question with the heaviest words that it lacks, for the record and for services that take no weights."""
    own = {word.casefold() for word in _words(question)}
    carried = [word for word, _ in weighed.words if word.casefold() not in own][:SHOWN]
    return clip(" ".join([question, *carried]), LONGEST_SEARCH)


def _said(earlier: Sequence[Message]) -> Mapping[str, float]:
    """The words of the earlier messages with their weights, by their spelling."""
    asked = [message.text for message in earlier if message.role == "user"]
    weights: defaultdict[str, float] = defaultdict(float)
    for age, text in enumerate(reversed(asked[-MOST_TURNS:]), start=1):
        for word in _terms(clip(text, LONGEST_SEARCH)):
            weights[word] += DECAY**age
    answer = next((message.text for message in reversed(earlier) if message.role == "assistant"), "")
    for word in _rarest(without(ends(answer, LONGEST_READ))):
        weights[word] += ANSWERED
    return weights


def _share(asked: str, own: Mapping[str, float], earlier: Sequence[Message]) -> float:
    """How much of the conversation's weights a question gets, 0 to 1."""
    share = min(1.0, ENOUGH / max(len(own), 1))
    if leans_on_earlier_turns(asked):
        return share
    texts = (_told(message) for message in earlier[-MOST_COMPARED:])
    before = {word.casefold() for text in texts for word in _words(text)}
    known = sum(word.casefold() in before for word in own)
    return share * (NEW_TOPIC if known <= SAID_BEFORE * len(own) else 1.0)


def _told(message: Message) -> str:
    """The beginning of a message; the labels that an answer cites are no words of it."""
    text = clip(message.text, LONGEST_SEARCH)
    return without(text) if message.role == "assistant" else text


def _rarest(answer: str) -> list[str]:
    """What an answer says again, its names and figures, and its long words: rare without the statistics of an index."""
    again = Counter(word.casefold() for word in _words(answer))

    def rarity(word: str) -> tuple[int, bool, int]:
        named = word[0].isupper() or any(map(str.isdigit, word))
        return min(again[word.casefold()], AGAIN), named, len(word)

    return sorted(_terms(answer), key=rarity, reverse=True)[:MOST_ANSWERED]


def _terms(text: str) -> list[str]:
    """The content words of a text, each once, as they are first written."""
    silent, found = language_of(text).silent, dict[str, str]()
    for word in _words(text):
        folded = word.casefold()
        if folded.replace("’", "'") not in silent:
            found.setdefault(folded, word)
    return list(found.values())


def _words(text: str) -> Iterator[str]:
    """Words without the signs around them; numbers and names keep those within, as 6.15.0."""
    language = language_of(text)
    said = _APART.split(text) if language.spaced else language.words_of(text)
    return filter(None, (word.strip(_SIGNS) for word in said))
