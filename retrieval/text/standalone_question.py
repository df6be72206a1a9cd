"""A follow-up question made to stand alone without a model: the last user message with terms of earlier messages.

A message depends on earlier turns when it is short or points back ("its", "they", "what about …"). Then the content
words of the user's previous turn are added, and those of earlier turns while there are few. Deterministic; the pointers
are English, the rest works in any language.
"""

import re
from collections.abc import Sequence
from typing import Final

from retrieval.model.conversation import Message
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text.languages.en import ENGLISH

LONGEST_READ: Final = 4_000
"""Characters of a message that are read: of a longer message, its beginning and its end."""

CARRIED_TERMS: Final = 12
ENOUGH_TERMS: Final = 3
FEW_TERMS: Final = 3
MOST_TURNS: Final = 20
"""Earlier turns of the user that are searched for terms."""

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")

_NOT_TERMS: Final = ENGLISH.silent


def terms(text: str) -> tuple[str, ...]:
    """The content words of a text, as written, each once regardless of case, in order."""
    words = {word.casefold(): word for word in reversed(_WORD.findall(text)) if word.casefold() not in _NOT_TERMS}
    return tuple(words.values())[::-1]


def standalone(conversation: Sequence[Message]) -> str:
    """The search text for the last user message, at most 2,000 characters."""
    asked = [message.text for message in conversation if message.role == "user"]
    last = ends(" ".join(ends(asked[-1], LONGEST_READ).split()), LONGEST_SEARCH)
    if len(asked) == 1 or not leans_on_earlier_turns(last):
        return last
    return clip(" ".join([last, *_carried(last, asked[:-1])]), LONGEST_SEARCH)


def _carried(last: str, earlier: Sequence[str]) -> list[str]:
    """Terms of the user's previous turn that the last turn lacks; if there are few, terms of earlier turns too."""
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
    """Whether a message points back or says too little to be searched alone."""
    read = ends(text, LONGEST_READ)
    words = {word.casefold() for word in _WORD.findall(read)}
    return bool(words & ENGLISH.pointers) or len(terms(read)) <= FEW_TERMS


def ends(text: str, length: int) -> str:
    """A text of at most `length` characters, or its beginning and its end: a long message asks at one of them."""
    if len(text) <= length:
        return text
    head = clip(text, length // 2)
    _, space, tail = text[-(length - len(head) - 1) :].partition(" ")
    return f"{head} {tail}" if space else clip(text, length)


def clip(text: str, length: int) -> str:
    """At most `length` characters of a text, ending at a word where there is one."""
    if len(text) <= length:
        return text
    head, _, _ = text[: length + 1].rpartition(" ")
    return head or text[:length]
