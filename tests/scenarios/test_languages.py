"""A small library in five languages, and in scripts without blanks between words: without a model each question is
shown what documents in its language say."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from retrieval.local.wire import WireRequest
from retrieval.text.languages.language import CODES, language
from tests.openapi.exchanges import open_watched

DOCUMENTS: Final = {
    "en": [
        (
            "Opening hours",
            "The library is open until 31 March, e.g. on Saturdays from 9 to 14. It rests on Mondays.",
        ),
        ("Cards", "A card costs five pounds a year. A lost card is replaced at the desk for two pounds."),
        ("Loans", "Books are lent for four weeks. Films are lent for one week."),
    ],
    "de": [
        ("Öffnungszeiten", "Die Bücherei ist bis 31. März z. B. samstags von 9 bis 14 Uhr offen. Montags ist sie zu."),
        ("Ausweise", "Ein Ausweis kostet fünf Euro im Jahr. Ein verlorener Ausweis wird für zwei Euro ersetzt."),
        ("Ausleihe", "Bücher werden für vier Wochen verliehen. Filme werden für eine Woche verliehen."),
    ],
    "fr": [
        ("Horaires", "La bibliothèque est ouverte jusqu’au 31 mars, p. ex. le samedi de 9 à 14 h, dit M. Roy."),
        ("Cartes", "Une carte coûte cinq euros par an. Une carte perdue est remplacée pour deux euros."),
        ("Prêts", "Les livres sont prêtés pour quatre semaines. Les films sont prêtés pour une semaine."),
    ],
    "es": [
        (
            "Horario",
            "La biblioteca está abierta hasta el 31 de marzo, p. ej. los sábados de 9 a 14, dice el Sr. Ruiz.",
        ),
        ("Carnés", "Un carné cuesta cinco euros al año. Un carné perdido se repone por dos euros."),
        ("Préstamos", "Los libros se prestan por cuatro semanas. Las películas se prestan por una semana."),
    ],
    "zh": [
        ("开放时间", "图书馆 3 月 31 日以前每逢星期六 9 点到 14 点开放。星期一不开放。"),
        ("借书证", "借书证每年五元。丢失的借书证补办要两元。"),
        ("借书", "图书可以借四个星期。电影可以借一个星期。"),
    ],
}
ASKED: Final = {
    "en": ("hello, when is the library open on Saturdays?", "is open until 31 March, e.g. on Saturdays from"),
    "de": ("Hallo, wann ist die Bücherei samstags offen?", "bis 31. März z. B. samstags von 9 bis"),
    "fr": ("Bonjour, quand la bibliothèque est-elle ouverte le samedi ?", "jusqu’au 31 mars, p. ex. le samedi de 9"),
    "es": (
        "Hola, ¿cuándo está abierta la biblioteca los sábados?",
        "hasta el 31 de marzo, p. ej. los sábados de 9 a 14",
    ),
    "zh": ("你好，图书馆星期六什么时候开放？", "图书馆 3 月 31 日以前每逢星期六 9 点到 14 点开放。"),
}
NEXT: Final = {
    "en": ("Where is a lost card replaced?", "And what does it cost a year?", "A card costs five pounds a year."),
    "de": (
        "Wo wird ein verlorener Ausweis ersetzt?",
        "Und was kostet er im Jahr?",
        "Ein Ausweis kostet fünf Euro im Jahr.",
    ),
    "fr": ("Où remplacer une carte perdue ?", "Et combien coûte-t-elle par an ?", "Une carte coûte cinq euros par an."),
    "es": (
        "¿Dónde se repone un carné perdido?",
        "¿Y cuánto cuesta este al año?",
        "Un carné cuesta cinco euros al año.",
    ),
    "zh": ("丢失的借书证怎么办？", "它每年多少元？", "借书证每年五元。"),
}
HELLO: Final = {"en": "Hello!", "de": "Guten Tag!", "fr": "Bonjour !", "es": "¡Hola!", "zh": "您好！"}
UNKNOWN: Final = {
    "en": "Which whales swim in the Arctic ocean?",
    "de": "Welche Wale schwimmen im Eismeer?",
    "fr": "Quelles baleines nagent dans l’Arctique ?",
    "es": "¿Qué ballenas nadan en el Ártico?",
    "zh": "鲸鱼吃什么？",
}

UNSPACED: Final = {
    "Thai": (
        "บัตรสมาชิกราคาเท่าไร",
        "บัตรสมาชิกราคาห้าสิบบาทต่อปี",
        ("ห้องสมุดเปิดทุกวันตั้งแต่เก้าโมงเช้าถึงห้าโมงเย็น", "หนังสือยืมได้สี่สัปดาห์", "ใช้Wi-Fiได้ฟรีที่ชั้นสอง"),
    ),
    "Lao": (
        "ບັດສະມາຊິກລາຄາເທົ່າໃດ",
        "ບັດສະມາຊິກລາຄາຫ້າສິບກີບຕໍ່ປີ",
        ("ຫໍສະໝຸດເປີດທຸກວັນ", "ປຶ້ມຢືມໄດ້ສີ່ອາທິດ"),
    ),
    "Khmer": (
        "ប័ណ្ណសមាជិកថ្លៃប៉ុន្មាន",
        "ប័ណ្ណសមាជិកមានតម្លៃប្រាំដុល្លារក្នុងមួយឆ្នាំ",
        ("បណ្ណាល័យបើករៀងរាល់ថ្ងៃ", "សៀវភៅអាចខ្ចីបានបួនសប្តាហ៍"),
    ),
    "Burmese": (
        "အသင်းဝင်ကတ်ဘယ်လောက်လဲ",
        "အသင်းဝင်ကတ်သည်တစ်နှစ်လျှင်ငါးကျပ်ကျသည်",
        ("စာကြည့်တိုက်ကိုနေ့တိုင်းဖွင့်သည်", "စာအုပ်ကိုလေးပတ်ငှားနိုင်သည်"),
    ),
    "Thai beside English": (
        "ต้องใช้Wi-Fiชั้นไหน",
        "ใช้Wi-Fiได้ฟรีที่ชั้นสอง",
        ("The card costs five pounds a year.", "บัตรสมาชิกราคาห้าสิบบาทต่อปี"),
    ),
}
"""A question, the document that answers it, and others, in scripts without blanks between words."""

SYNTHESIS: Final = "/knowledgebases/library/retrieve?api-version=2026-05-01-preview"

Answer = Callable[..., str]


@contextmanager
def _library(path: Path, code: str) -> Iterator[Answer]:
    """The answer of the service over a library to a conversation."""
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        host = runner.run(open_watched())
        local = {"LOCAL": "1", "LOCAL_CORPORA": json.dumps({"library": str(path)}), "LOCAL_LANGUAGE": code}
        for name, value in {**local, "API_KEYS": "k"}.items():
            patch.setenv(name, value)
        runner.run(compose.end())

        def answer(*said: str, target: str = "/agents/library/answer", **members: str) -> str:
            content = json.dumps({"messages": list(map(_turn, said)), **members}).encode()
            headers = (("api-key", "k"), ("content-length", str(len(content))))
            found = runner.run(host(WireRequest(method="POST", target=target, headers=headers, body=content)))
            body: Any = json.loads(found.body)
            assert found.status == 200, body
            return str(body["response"][0]["content"][0]["text"] if members else body["answer_markdown"])

        yield answer
        runner.run(compose.end())


@pytest.fixture(scope="module", params=sorted(DOCUMENTS))
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Answer]]:
    """A language, and the answer of the service over its library to a conversation."""
    code: str = request.param
    with _library(_written(DOCUMENTS[code], tmp_path_factory.mktemp(code)), code) as answer:
        yield code, answer


def _turn(text: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _written(documents: Sequence[tuple[str, str]], folder: Path) -> Path:
    lines = [{"_id": str(at), "title": title, "text": text} for at, (title, text) in enumerate(documents)]
    (folder / "library.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder / "library.jsonl"


def test_a_question_is_shown_what_answers_it_in_its_language(library: tuple[str, Answer]) -> None:
    code, answer = library
    question, expected = ASKED[code]
    assert expected in answer(question)


def test_a_question_that_points_back_is_understood(library: tuple[str, Answer]) -> None:
    code, answer = library
    first, then, expected = NEXT[code]
    assert expected in answer(first, then)


def test_a_greeting_gets_one_and_what_is_not_found_is_said_in_the_language(library: tuple[str, Answer]) -> None:
    code, answer = library
    assert answer(HELLO[code]) == language(code).small_talk.replies[0]
    frames = language(code).frames
    said = answer(UNKNOWN[code])
    assert said.startswith((frames.nothing, frames.unread)) and _line(code, code) not in said


def test_a_question_in_another_language_is_told_the_language_and_shown_passages(library: tuple[str, Answer]) -> None:
    code, answer = library
    for asked in DOCUMENTS.keys() - {code}:
        line, frames = _line(asked, code), language(asked).frames
        said = answer(f"{UNKNOWN[asked]} 31 9 14")
        assert said.startswith(f"{line}\n\n{frames.unread}\n\n- [1] ") or said == f"{frames.left_out}\n\n{line}"
        assert _line(asked, code) in answer(UNKNOWN[asked])
    assert _line("en", code) in answer("Jakie wieloryby pływają w Arktyce?")


def test_the_answer_of_a_knowledge_base_names_the_languages_too(library: tuple[str, Answer]) -> None:
    code, answer = library
    for asked in DOCUMENTS:
        said = answer(UNKNOWN[asked], target=SYNTHESIS, outputMode="answerSynthesis")
        assert (_line(asked, code) in said) == (asked != code)


def _line(asked: str, code: str) -> str:
    """The line that names the language of the documents, in that of a question."""
    frames = language(asked).frames
    names = dict(zip(CODES, frames.languages.split(), strict=True))
    return frames.other_language.format(languages=names[code])


@pytest.mark.parametrize("script", UNSPACED)
def test_words_are_found_within_a_text_without_blanks(script: str, tmp_path: Path) -> None:
    question, expected, others = UNSPACED[script]
    path = _written([("", text) for text in (*others, expected)], tmp_path)
    with _library(path, "en") as answer:
        first = answer(question).partition("\n> ")[2]
    assert first.startswith(expected)
