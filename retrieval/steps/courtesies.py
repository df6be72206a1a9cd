"""Greetings, thanks and farewells, in a few languages, and what is said to them."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

LONGEST: Final = 80
"""Characters of a message that can be a courtesy and nothing else."""

_BREAK: Final = re.compile(r"[^\w\s'’]+")


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


def reply_to(message: str) -> str | None:
    """What to say to a message that is courtesies and nothing else, after the last of them; else None."""
    if len(message) > LONGEST:
        return None
    parts = [" ".join(part.split()) for part in _BREAK.split(message.casefold().replace("’", "'"))]
    replies = [_REPLIES.get(part) for part in parts if part]
    return replies[-1] if replies and None not in replies else None
