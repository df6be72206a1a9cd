"""Makes a follow-up question understandable without the earlier turns, without a model. If the last user message
depends on earlier turns, terms of earlier user messages are added to it. A message depends on earlier turns if it has
few content words ("what about …") or refers back ("its", "they").

The language of each message is recognised separately.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from retrieval.model.conversation import Message
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text.languages.recognition import language_of
from retrieval.text.length import LONGEST_READ, clip, ends

CARRIED_TERMS: Final = 12
ENOUGH_TERMS: Final = 3
FEW_TERMS: Final = 3
_APART: Final = re.compile(r"[\s，。！？；：、（）「」『』《》]+")
_SIGNS: Final = ".,;:!?()[]{}\"'“”‘’«»…*_`<>|¿¡"

MOST_TURNS: Final = 20
"""The most earlier turns of the user that are searched for terms."""


def terms(text: str) -> list[str]:
    """The content words of a text. A word that occurs several times has its first spelling."""
    language, by_folded = language_of(text), dict[str, str]()
    for word in words(text):
        folded = word.casefold()
        if folded.replace("’", "'") not in language.silent:
            by_folded.setdefault(folded, word)
    return list(by_folded.values())


def words(text: str) -> Iterator[str]:
    """The words of a text without the punctuation around them. In a language with blanks between words, punctuation
    within a word stays, such as the dots of `6.15.0`."""
    language = language_of(text)
    words = _APART.split(text) if language.spaced else language.words_of(text)
    return filter(None, (word.strip(_SIGNS) for word in words))


def standalone(conversation: Sequence[Message]) -> str:
    """The search text for the last user message, at most 2,000 characters."""
    asked = [message.text for message in conversation if message.role == "user"]
    last = ends(" ".join(ends(asked[-1], LONGEST_READ).split()), LONGEST_SEARCH)
    if len(asked) == 1 or not leans_on_earlier_turns(last):
        return last
    return clip(" ".join([last, *_carried(last, asked[:-1])]), LONGEST_SEARCH)


def _carried(last: str, earlier: Sequence[str]) -> list[str]:
    """The terms of the user's previous turn that the last turn does not have, at most twelve. If there are fewer than
    three, terms of earlier turns are added."""
    own = {term.casefold() for term in terms(last)}
    carried: dict[str, str] = {}
    for text in reversed(earlier[-MOST_TURNS:]):
        if len(carried) >= ENOUGH_TERMS:
            break
        for term in terms(clip(text, LONGEST_SEARCH)):
            if term.casefold() not in own:
                carried.setdefault(term.casefold(), term)
    return list(carried.values())[:CARRIED_TERMS]


def leans_on_earlier_turns(text: str) -> bool:
    """Whether a message refers back to earlier turns, or has at most three content words. Two characters count as a
    word in a language without blanks."""
    read = ends(text, LONGEST_READ)
    language = language_of(read)
    if language.points_back(read):
        return True
    size = (1 if language.spaced else -(-len(term) // 2) for term in terms(read))
    return sum(size) <= FEW_TERMS
