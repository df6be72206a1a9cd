"""What a user says in a message, without a model: courtesies, a question, and whether the question depends on earlier
turns.

Courtesies are greetings, thanks, praise and farewells in all known languages. They are replied to, or removed from a
conversation, and asides such as "please" are removed too. A question depends on earlier turns if it has few content
words ("what about …") or refers back ("its", "they"). Then terms of earlier messages of the user are added to it. The
language of each message is recognised separately.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from retrieval.model.conversation import Message
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text.languages.language import ENGLISH, KNOWN, Language, language_of
from retrieval.text.length import LONGEST_READ, as_search, clip, ends

_LONGEST_COURTESY: Final = 160
"""The most characters of a message that consists only of courtesies."""

_MOST_COURTESIES: Final = 4
"""The most courtesies that are removed at either end of a message."""

_MOST_BEFORE: Final = 40
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

_CARRIED_TERMS: Final = 12
_ENOUGH_TERMS: Final = 3
_FEW_TERMS: Final = 3
_APART: Final = re.compile(r"[\s，。！？；：、（）「」『』《》]+")
_SIGNS: Final = ".,;:!?()[]{}\"'“”‘’«»…*_`<>|¿¡"

MOST_TURNS: Final = 20
"""The most earlier turns of the user that are searched for terms."""


def reply_to(message: str) -> str | None:
    """The reply to a message that consists only of courtesies; None for any other message. The last courtesy decides
    the reply."""
    if len(message) > _LONGEST_COURTESY:
        return None
    parts = _parts(message)
    last = _SAID.get(parts[-1]) if parts else None
    if last is not None and _SAID.keys() >= {*parts}:
        return last.small_talk.replies_to[parts[-1]]
    praising = _praising(message)
    return None if praising is None else (last or praising).small_talk.replies[1]


def conversation_without_courtesies(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation without the courtesies at the beginning and end of the user's turns. If a turn of the user has
    only courtesies, the turn is left out. If all turns of the user have only courtesies, they are kept unchanged. A
    long conversation is cut to its latest turns. A long turn of the user is cut to its beginning and its end.
    """
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=0)
    recent = messages[max(last - _MOST_BEFORE, 0) :]
    kept = list[Message]()
    for message in recent:
        if message.role != "user":
            kept.append(message)
        elif text := without_courtesies(ends(message.text, LONGEST_READ)):
            kept.append(replace(message, text=text))
    return tuple(kept if any(message.role == "user" for message in kept) else recent)


def without_courtesies(message: str) -> str:
    """The message without the courtesies at its beginning and end; empty if the message has only courtesies."""
    text = message.strip()
    for _ in range(_MOST_COURTESIES):
        if len(text) <= _LONGEST_COURTESY and (_COURTESIES.issuperset(_parts(text)) or _praising(text) is not None):
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
    last = _LAST.search(text, max(len(text) - _LONGEST_COURTESY, 0))
    if last is None:
        return text
    may_praise = not set(last["pause"]).isdisjoint(".!?。！？\r\n")
    praise = text[last.start("phrase") :] if may_praise else ""
    is_courtesy = _folded(last["phrase"]) in _COURTESIES or _praising(praise) is not None
    return text[: last.end("pause")].rstrip(" \t\r\n,;，；、") if is_courtesy else text


def standalone(conversation: Sequence[Message]) -> str:
    """The search text for the last user message, at most 2,000 characters."""
    asked = [message.text for message in conversation if message.role == "user"]
    last = as_search(asked[-1])
    if len(asked) == 1 or not leans_on_earlier_turns(last):
        return last
    return clip(" ".join([last, *_carried(last, asked[:-1])]), LONGEST_SEARCH)


def _carried(last: str, earlier: Sequence[str]) -> list[str]:
    """The terms of the user's previous turn that the last turn does not have, at most twelve. If there are fewer than
    three, terms of earlier turns are added."""
    own = {term.casefold() for term in terms(last)}
    carried: dict[str, str] = {}
    for text in reversed(earlier[-MOST_TURNS:]):
        if len(carried) >= _ENOUGH_TERMS:
            break
        for term in terms(clip(text, LONGEST_SEARCH)):
            if term.casefold() not in own:
                carried.setdefault(term.casefold(), term)
    return list(carried.values())[:_CARRIED_TERMS]


def leans_on_earlier_turns(text: str) -> bool:
    """Whether a message refers back to earlier turns, or has at most three content words. Two characters count as a
    word in a language without blanks."""
    read = ends(text, LONGEST_READ)
    language = language_of(read)
    if language.points_back(read):
        return True
    size = (1 if language.spaced else -(-len(term) // 2) for term in terms(read))
    return sum(size) <= _FEW_TERMS


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
