"""The words of a search within a conversation, each with its weight.

The words of the last message weigh 1. A word of an earlier message of the user weighs at most .35 to the power of the
message's age in turns. The eight rarest words of the last answer weigh at most .2, since the next question is mostly
about the last answer. A word that stands in several messages has the sum of its weights.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.model.conversation import Message
from retrieval.model.search import LONGEST_SEARCH, Weighed
from retrieval.text.clipped import LONGEST_READ, clip, ends
from retrieval.text.follow_up_question import MOST_TURNS, standalone, terms, words
from retrieval.text.source_labels import without


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights of words; a word of the user's last message weighs 1.

    They were chosen and measured on a sample of MTRAG (docs/calling/retrieve.md). The weight of a user's word is
    multiplied by `decay` for each turn of age. The `rarest` words of the last answer weigh `answered`. A question with
    at most `fragment` words is too short for a ranker. So the ranker gets it with words of earlier messages: without
    that, nDCG@10 falls by 1.1 [.4, 2.1]. A question with at most `vague` words is too short for
    a useful vector. So its vector is made with the `embedded` heaviest words of earlier messages. `vague` and
    `embedded` were chosen on one half of the sample, and measured on the other half. Words that weigh less than `least`
    are left out.
    """

    decay: float = 0.35
    answered: float = 0.2
    rarest: int = 8
    fragment: int = 2
    vague: int = 3
    embedded: int = 4
    least: float = 0.05


WEIGHTS: Final = Weights()

MOST: Final = 40
"""The most words of a search. At most `SHOWN` of them are added to a question for services that take no weights."""
SHOWN: Final = 12


def weighed(conversation: Sequence[Message]) -> Weighed | None:
    """The words of a conversation that ends with the user's last message; None where the messages before it have no
    words."""
    earlier, asked = conversation[:-1], ends(conversation[-1].text, LONGEST_READ)
    if not (earlier_words := _earlier_words(earlier)):
        return None
    own = dict.fromkeys(terms(asked), 1.0)
    spelled = {word.casefold(): word for word in (*earlier_words, *own)}
    weights = defaultdict(float, {word.casefold(): weight for word, weight in own.items()})
    for word, weight in earlier_words.items():
        weights[word.casefold()] += weight
    order = sorted(weights, key=lambda word: -weights[word])[:MOST]
    heaviest = [(spelled[word], weight) for word in order if (weight := round(weights[word], 2)) >= WEIGHTS.least]
    ranked = standalone(conversation) if len(own) <= WEIGHTS.fragment else asked
    embedded = _carrying(asked, heaviest, most=WEIGHTS.embedded) if len(own) <= WEIGHTS.vague else asked
    return Weighed(words=tuple(heaviest), ranked=_searched(ranked), embedded=_searched(embedded))


def shown(question: str, weighed: Weighed) -> str:
    """The question with the heaviest words that it lacks, for the activity and for services that take no weights."""
    return clip(_carrying(question, weighed.words, most=SHOWN), LONGEST_SEARCH)


def _carrying(question: str, heaviest: Sequence[tuple[str, float]], *, most: int) -> str:
    """The question with at most `most` of the heaviest words that it lacks."""
    own = {word.casefold() for word in words(question)}
    return " ".join([question, *[word for word, _ in heaviest if word.casefold() not in own][:most]])


def _searched(text: str) -> str:
    """The text on one line, with at most the characters that a search may have."""
    return ends(" ".join(text.split()), LONGEST_SEARCH)


def _earlier_words(earlier: Sequence[Message]) -> Mapping[str, float]:
    """The words of the earlier messages with their weights, by their spelling."""
    asked = [message.text for message in earlier if message.role == "user"]
    weights: defaultdict[str, float] = defaultdict(float)
    for age, text in enumerate(reversed(asked[-MOST_TURNS:]), start=1):
        for word in terms(clip(text, LONGEST_SEARCH)):
            weights[word] += WEIGHTS.decay**age
    answer = next((message.text for message in reversed(earlier) if message.role == "assistant"), "")
    for word in _rarest(without(ends(answer, LONGEST_READ))):
        weights[word] += WEIGHTS.answered
    return weights


def _rarest(answer: str) -> list[str]:
    """The rarest words of an answer, estimated without the statistics of an index: repeated words come first, then
    names and figures, then long words."""
    again = Counter(word.casefold() for word in words(answer))

    def rarity(word: str) -> tuple[int, bool, int]:
        named = word[0].isupper() or any(map(str.isdigit, word))
        return again[word.casefold()], named, len(word)

    return sorted(terms(answer), key=rarity, reverse=True)[: WEIGHTS.rarest]
