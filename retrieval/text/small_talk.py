"""Greetings, thanks and farewells, in a few languages: the replies to them, and a conversation without them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from retrieval.model.conversation import Message
from retrieval.text.content_words import is_silent
from retrieval.text.standalone_question import LONGEST_READ, ends

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
_ASKS: Final = frozenset("what which who whose whom where when why how can could would please tell i i'm i'd".split())
"""The beginning of a question that follows a greeting without a comma."""

_ASIDES: Final = frozenset(
    """ok, okay, please, alright, all right, great, perfect, excuse me, sorry, quick question, one more question,
    thanks in advance, thank you in advance, please and thank you, 请问, 麻烦, 好的, すみません, お願いします,
    죄송합니다, bitte, entschuldigung, danke im voraus, s'il vous plaît, s'il te plaît, excusez moi, d'accord,
    por favor, perdón, de antemano gracias, desculpe, com licença, per favore, scusi, scusa""".replace(
        ",\n    ", ", "
    ).split(", ")
)
"""Words beside a question that are not a courtesy; a message of only these needs an answer all the same."""


class Language(NamedTuple):
    """Phrases without case and punctuation, divided by commas; then the reply to each kind."""

    greetings: str
    thanks: str
    farewells: str
    replies: tuple[str, str, str]


_LANGUAGES: Final = (
    Language(
        "hi, hi there, hello, hello there, hey, hey there, good morning, good afternoon, good evening, greetings, "
        "how are you, how are you doing, hello everyone, hi all, nice to meet you",
        "thanks, thank you, thanks a lot, many thanks, thank you very much, thank you so much, thanks so much, thx, "
        "much appreciated, cheers, thanks again, thank you again, thanks for your help, thank you for your help, "
        "that's all thanks, great thanks, great thank you, ok thanks, okay thanks, perfect thanks",
        "bye, goodbye, good bye, bye bye, see you, see you later, good night, have a nice day, have a good day, "
        "take care, farewell",
        ("Hello! What would you like to know?", "You are welcome.", "Goodbye!"),
    ),
    Language(
        "你好, 您好, 大家好, 早上好, 上午好, 下午好, 晚上好, 早安, 嗨, 哈喽",
        "谢谢, 谢谢你, 谢谢您, 多谢, 非常感谢, 感谢, 谢了, 好的谢谢, 谢谢你的帮助",
        "再见, 拜拜, 晚安, 回头见",
        ("您好！您想了解什么？", "不客气。", "再见！"),
    ),
    Language(
        "こんにちは, おはよう, おはようございます, こんばんは, はじめまして",
        "ありがとう, ありがとうございます, どうもありがとう, どうもありがとうございます, ありがとうございました",
        "さようなら, おやすみ, おやすみなさい, またね",
        ("こんにちは。何についてお調べしましょうか。", "どういたしまして。", "さようなら。"),
    ),
    Language(
        "안녕, 안녕하세요, 안녕하십니까, 반갑습니다",
        "고마워, 고마워요, 고맙습니다, 감사합니다, 정말 감사합니다",
        "잘 가, 안녕히 가세요, 안녕히 계세요",
        ("안녕하세요! 무엇을 알고 싶으신가요?", "천만에요.", "안녕히 가세요!"),
    ),
    Language(
        "hallo, guten morgen, guten tag, guten abend, servus, moin, grüß gott, grüezi",
        "danke, danke schön, dankeschön, vielen dank, danke sehr, besten dank, herzlichen dank, danke dir, danke ihnen",
        "tschüss, tschüs, auf wiedersehen, gute nacht, bis bald, bis später, schönen tag noch",
        ("Hallo! Was möchten Sie wissen?", "Gern geschehen.", "Auf Wiedersehen!"),
    ),
    Language(
        "bonjour, salut, bonsoir, coucou, bonjour à tous",
        "merci, merci beaucoup, merci bien, un grand merci, merci à vous, merci pour votre aide",
        "au revoir, à bientôt, bonne nuit, bonne journée, bonne soirée",
        ("Bonjour ! Que souhaitez-vous savoir ?", "Je vous en prie.", "Au revoir !"),
    ),
    Language(
        "hola, buenos días, buenas tardes, buenas noches, buenas, qué tal",
        "gracias, muchas gracias, mil gracias, muchísimas gracias, gracias por tu ayuda, gracias por su ayuda",
        "adiós, hasta luego, hasta pronto, hasta mañana, chao",
        ("¡Hola! ¿Qué le gustaría saber?", "De nada.", "¡Hasta luego!"),
    ),
    Language(
        "olá, oi, bom dia, boa tarde, boa noite, tudo bem",
        "obrigado, obrigada, muito obrigado, muito obrigada",
        "tchau, adeus, até logo, até breve, até amanhã",
        ("Olá! O que gostaria de saber?", "De nada.", "Até logo!"),
    ),
    Language(
        "ciao, buongiorno, buonasera, salve, buon giorno",
        "grazie, grazie mille, molte grazie, tante grazie",
        "arrivederci, buonanotte, a presto, a domani",
        ("Buongiorno! Che cosa desidera sapere?", "Prego.", "Arrivederci!"),
    ),
)


def _phrases() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for language in _LANGUAGES:
        kinds = (language.greetings, language.thanks, language.farewells)
        for phrases, reply in zip(kinds, language.replies, strict=True):
            for phrase in phrases.split(","):
                found.setdefault(phrase.strip(), reply)
    return found


_REPLIES: Final = _phrases()
_THANKS: Final = frozenset(phrase.strip() for language in _LANGUAGES for phrase in language.thanks.split(","))


def reply_to(message: str) -> str | None:
    """The reply to a message that consists of courtesies, chosen by the last of them; else None."""
    if len(message) > LONGEST:
        return None
    replies = [_REPLIES.get(part) for part in _parts(message)]
    return replies[-1] if replies and None not in replies else None


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
    return all(part in _REPLIES or part in _ASIDES for part in parts)


def _after_first(text: str) -> str:
    """Without the first courtesy: one before a pause, or a greeting before a word that asks."""
    first = _FIRST.match(text)
    if first is not None and _all_said([_folded(first["phrase"])]) and not _calls(first["pause"], text[first.end() :]):
        return text[first.end() :]
    words = list(_WORD.finditer(text[:LONGEST]))
    for count in range(min(len(words) - 1, MOST), 0, -1):
        phrase = _folded(text[words[0].start() : words[count - 1].end()])
        if phrase in _REPLIES and words[count][0].casefold() in _ASKS:
            return text[words[count].start() :]
    return text


def _calls(pause: str, rest: str) -> bool:
    """Whether a comma and a name follow, as in "Hello, Dolly!": then they may belong together."""
    word = _WORD.search(rest)
    return pause == "," and word is not None and word[0][0].isupper() and not is_silent(word[0])


def _before_last(text: str) -> str:
    """Without the last courtesy: one after a pause, or thanks after a content word without a question mark."""
    last = _LAST.search(text, max(len(text) - LONGEST, 0))
    if last is not None and _all_said([_folded(last["phrase"])]):
        return text[: last.end("pause")].rstrip(" \t\r\n,;，；、")
    words = list(_WORD.finditer(text, max(len(text) - LONGEST, 0)))
    for count in range(min(len(words) - 1, MOST), 0, -1):
        start = words[-count].start()
        asked = any(sign in text[words[-1].end() :] for sign in "?？")
        if _folded(text[start : words[-1].end()]) in _THANKS and not asked:
            return text if is_silent(words[-count - 1][0]) else text[:start].rstrip()
    return text
