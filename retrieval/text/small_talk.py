"""Greetings, thanks and farewells in every language: the replies to them, and a conversation without them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from retrieval.model.conversation import Message
from retrieval.text.clipped import LONGEST_READ, ends
from retrieval.text.content_words import is_silent
from retrieval.text.languages.en import ENGLISH
from retrieval.text.languages.language import Language, words
from retrieval.text.languages.recognition import language, language_of

LONGEST: Final = 80
"""The most characters of a message that is only a courtesy."""

MOST: Final = 4
"""Courtesies at either end of a message."""

MOST_BEFORE: Final = 40
"""Turns before the user's last one that rules look at."""

_LONGEST_PHRASE: Final = 40
_BREAK: Final = re.compile(r"[^\w\s'’]+")
_PAUSE: Final = r"(?:[^\w\s'’\"“”‘«»\-‐/&+#@$%*_`()\[\]{}:：]+(?=\s|\Z)|[，。！？；、]+|[\r\n]+)"
"""What separates a courtesy from the rest: punctuation that does not join, and signs such as a waving hand."""

_FIRST: Final = re.compile(rf"[\s¡¿]*+(?P<phrase>\w[\w'’ ]{{0,{_LONGEST_PHRASE}}}?)(?P<pause>{_PAUSE})\s*+")
_LAST: Final = re.compile(rf"(?P<pause>{_PAUSE})\s*+[¡¿]*+(?P<phrase>\w[\w'’ ]{{0,{_LONGEST_PHRASE}}}+)[^\w'’]*+\Z")
_WORD: Final = re.compile(r"[\w'’]+")
_SIGNS: Final = re.compile(r"[\u3040-\ud7af]")

_FIRST_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "de": words(
        """hallo guten servus moin grüß grüezi wie danke dankeschön vielen besten herzlichen ok super tschüss tschüs auf
        gute bis schönen bitte entschuldigung alles in eine noch"""
    ),
    "fr": words(
        """bonjour salut bonsoir coucou comment ça merci un mille ok parfait au à bonne s'il excusez d'accord pardon
        une"""
    ),
    "es": words(
        """hola buenos buenas qué cómo gracias muchas mil muchísimas ok perfecto adiós hasta chao nos que por perdón de
        vale una"""
    ),
    "it": words(
        """ciao buongiorno buonasera salve buon buona grazie molte tante arrivederci buonanotte a per scusi scusa"""
    ),
    "pt": words("olá oi bom boa tudo obrigado obrigada muito tchau adeus até por desculpe com"),
}
"""The first words of courtesies: the data of a language is read only for a phrase that may be one."""


def _courteous(phrase: str) -> Iterator[Language]:
    """English, and the languages in which a phrase may be a courtesy."""
    yield ENGLISH
    if _SIGNS.search(phrase):
        yield language_of(phrase)
    first = phrase.partition(" ")[0]
    yield from (language(code) for code, begins in _FIRST_WORDS.items() if first in begins)


def _language_of(phrase: str) -> Language | None:
    """The language in which a phrase is a greeting, thanks or a farewell."""
    return next((one for one in _courteous(phrase) if one.small_talk.reply_to(phrase) is not None), None)


def reply_to(message: str) -> str | None:
    """The reply to a message that consists of courtesies, chosen by the last of them; else None."""
    if len(message) > LONGEST:
        return None
    replies = [(one, _language_of(one)) for one in _parts(message)]
    phrase, said_in = replies[-1] if replies and all(found for _, found in replies) else ("", None)
    return None if said_in is None else said_in.small_talk.reply_to(phrase)


def without(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation without the courtesies at either end of what the user says.

    Turns of the user with nothing else are left out, unless all are such. A long conversation is cut to its latest
    turns, and a long turn of the user to its beginning and its end.
    """
    last = max((place for place, one in enumerate(messages) if one.role == "user"), default=0)
    recent = messages[max(last - MOST_BEFORE, 0) :]
    shorter = [replace(one, text=around(ends(one.text, LONGEST_READ))) if one.role == "user" else one for one in recent]
    kept = tuple(one for one in shorter if one.text or one.role != "user")
    return kept if any(one.role == "user" for one in kept) else tuple(recent)


def around(message: str) -> str:
    """The message without the courtesies around it; "" if it has nothing else."""
    text = message.strip()
    for _ in range(MOST):
        if len(text) <= LONGEST and _all_said(_parts(text)):
            return ""
        text, before = _before_last(_after_first(text)), text
        if text == before:
            break
    return text


def _parts(message: str) -> list[str]:
    return [said for part in _BREAK.split(message) if (said := _folded(part))]


def _folded(phrase: str) -> str:
    return " ".join(phrase.casefold().replace("’", "'").split())


def _all_said(parts: Iterable[str]) -> bool:
    return all(map(_is_said, parts))


def _is_said(phrase: str) -> bool:
    return any(
        one.small_talk.reply_to(phrase) is not None or phrase in one.small_talk.asides for one in _courteous(phrase)
    )


def _after_first(text: str) -> str:
    """Without the first courtesy: one before a pause, or a greeting before a word that asks."""
    first = _FIRST.match(text)
    if first is not None and _all_said([_folded(first["phrase"])]) and not _calls(first["pause"], text[first.end() :]):
        return text[first.end() :]
    said = list(_WORD.finditer(text[:LONGEST]))
    asks = ENGLISH.small_talk.asks | language_of(text).small_talk.asks
    for count in range(min(len(said) - 1, MOST), 0, -1):
        greeted = _language_of(_folded(text[said[0].start() : said[count - 1].end()]))
        if greeted is not None and said[count][0].casefold() in asks | greeted.small_talk.asks:
            return text[said[count].start() :]
    return text


def _calls(pause: str, rest: str) -> bool:
    """Whether a comma and a name follow, as in "Hello, Dolly!": then they may belong together.

    Where all nouns have a capital, they do not.
    """
    word, spoken = _WORD.search(rest), language_of(rest)
    named = word is not None and word[0][0].isupper() and not is_silent(word[0], spoken)
    return pause == "," and named and spoken.names != "runs"


def _before_last(text: str) -> str:
    """Without the last courtesy: one after a pause, or thanks after a content word without a question mark."""
    last = _LAST.search(text, max(len(text) - LONGEST, 0))
    if last is not None and _all_said([_folded(last["phrase"])]):
        return text[: last.end("pause")].rstrip(" \t\r\n,;，；、")
    said = list(_WORD.finditer(text, max(len(text) - LONGEST, 0)))
    for count in range(min(len(said) - 1, MOST), 0, -1):
        start = said[-count].start()
        asked = any(sign in text[said[-1].end() :] for sign in "?？")
        phrase = _folded(text[start : said[-1].end()])
        thanked = _language_of(phrase)
        if thanked is not None and phrase in thanked.small_talk.thanks and not asked:
            return text if is_silent(said[-count - 1][0], thanked) else text[:start].rstrip()
    return text
