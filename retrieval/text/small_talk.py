"""Replies to courtesies, and removes them from a conversation. Courtesies are greetings, thanks, praise and farewells
in all known languages. Asides such as "please" are removed too."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from retrieval.model.conversation import Message
from retrieval.text.languages.language import ENGLISH, KNOWN, Language
from retrieval.text.languages.recognition import language_of
from retrieval.text.length import LONGEST_READ, ends

LONGEST: Final = 160
"""The most characters of a message that consists only of courtesies."""

MOST: Final = 4
"""The most courtesies that are removed at either end of a message."""

MOST_BEFORE: Final = 40
"""The number of turns before the user's last turn that are kept."""

_LONGEST_PHRASE: Final = 40
_BREAK: Final = re.compile(r"[^\w\s'’]+")
_PAUSE: Final = r"(?:[^\w\s'’\"“”‘«»\-‐/&+#@$%*_`()\[\]{}:：]+(?=\s|\Z)|[，。！？；、]+|[\r\n]+)"
"""The characters between a courtesy and the rest of a message: separating punctuation, line ends, and signs such as a
waving hand."""

_FIRST: Final = re.compile(rf"[\s¡¿]*+(?P<phrase>\w[\w'’ ]{{0,{_LONGEST_PHRASE}}}?)(?P<pause>{_PAUSE})\s*+")
_LAST: Final = re.compile(rf"(?P<pause>{_PAUSE})\s*+[¡¿]*+(?P<phrase>\w[\w'’ ]{{0,{_LONGEST_PHRASE}}}+)[^\w'’]*+\Z")
_PRAISING_SIGNS: Final = re.compile("[👍👌👏🙏🙌💯❤🎉😀-😎🙂]")
_WORD: Final = re.compile(r"[\w'’]+")

_SAID: Final[Mapping[str, Language]] = {
    phrase: known for known in reversed(KNOWN) for phrase in known.small_talk.replies_to
}
"""All courtesies, each with the first language that has this phrase."""

_COURTESIES: Final = frozenset(_SAID).union(*(known.small_talk.asides for known in KNOWN))
"""The courtesies and the asides of all languages."""


def reply_to(message: str) -> str | None:
    """The reply to a message that consists only of courtesies; None for any other message. The last courtesy decides
    the reply."""
    if len(message) > LONGEST:
        return None
    parts = _parts(message)
    last = _SAID.get(parts[-1]) if parts else None
    if last is not None and _SAID.keys() >= {*parts}:
        return last.small_talk.replies_to[parts[-1]]
    praising = _praising(message)
    return None if praising is None else (last or praising).small_talk.replies[1]


def without(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation without the courtesies at the beginning and end of the user's turns. If a turn of the user has
    only courtesies, the turn is left out. If all turns of the user have only courtesies, they are kept unchanged. A
    long conversation is cut to its latest turns. A long turn of the user is cut to its beginning and its end.
    """
    last = max((place for place, one in enumerate(messages) if one.role == "user"), default=0)
    recent = messages[max(last - MOST_BEFORE, 0) :]
    shorter = [
        replace(message, text=around(ends(message.text, LONGEST_READ))) if message.role == "user" else message
        for message in recent
    ]
    kept = tuple(message for message in shorter if message.text or message.role != "user")
    return kept if any(message.role == "user" for message in kept) else tuple(recent)


def around(message: str) -> str:
    """The message without the courtesies at its beginning and end; empty if the message has only courtesies."""
    text = message.strip()
    for _ in range(MOST):
        if len(text) <= LONGEST and (_COURTESIES.issuperset(_parts(text)) or _praising(text) is not None):
            return ""
        text, before = _before_last(_after_first(text)), text
        if text == before:
            break
    return text


def _parts(message: str) -> list[str]:
    return [said for part in _BREAK.split(message) if (said := _folded(part))]


def _folded(phrase: str) -> str:
    return " ".join(phrase.casefold().replace("’", "'").split())


def _praising(message: str) -> Language | None:
    """The language in which a message thanks, agrees or praises, and asks nothing; None for any other message."""
    if any(sign in message for sign in "?？"):
        return None
    if not any(map(str.isalnum, message)):
        return ENGLISH if _PRAISING_SIGNS.search(message) else None
    text = _folded(message)
    return next((known for known in (language_of(message), *KNOWN) if known.small_talk.praises(text)), None)


def _after_first(text: str) -> str:
    """The message without its first courtesy before a pause. Praise before a comma is a courtesy only if the rest
    begins like a question, unlike in "sweet, sour and salty"."""
    first = _FIRST.match(text)
    if first is None:
        return text
    word = _WORD.search(text, first.end())
    asks = word is not None and any(known.asks(word[0]) for known in KNOWN)
    may_praise = asks if first["pause"] in ",，、" else set(first["pause"]).isdisjoint(",，、;；?？")
    is_courtesy = _folded(first["phrase"]) in _COURTESIES or (may_praise and _praising(first["phrase"]) is not None)
    return text[first.end() :] if is_courtesy else text


def _before_last(text: str) -> str:
    """The message without its last courtesy after a pause. Praise is a courtesy only behind the end of a sentence."""
    last = _LAST.search(text, max(len(text) - LONGEST, 0))
    if last is None:
        return text
    may_praise = not set(last["pause"]).isdisjoint(".!?。！？\r\n")
    praise = text[last.start("phrase") :] if may_praise else ""
    is_courtesy = _folded(last["phrase"]) in _COURTESIES or _praising(praise) is not None
    return text[: last.end("pause")].rstrip(" \t\r\n,;，；、") if is_courtesy else text
