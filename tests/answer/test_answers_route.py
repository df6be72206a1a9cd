"""The route: what is read of a reply, and which messages need no model to be routed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.answer import answers
from retrieval.errors import BadModelReply
from retrieval.model.answer import RouteDecision
from retrieval.model.conversation import Message
from retrieval.text.languages.language import ENGLISH
from tests.answer.material import replies, user


def reply(run: object, kind: object, message: object = "") -> str:
    return json.dumps({"should_run_rag": run, "route": kind, "assistant_message": message})


@given(replies("should_run_rag", "route", "assistant_message"))
def test_any_reply_gives_a_route_or_is_refused(text: str) -> None:
    try:
        found = answers.read_route(text)
    except BadModelReply:
        return
    assert found.by == "model"
    assert found.run_rag != bool(found.reply)
    assert len(found.reply) <= answers.LONGEST_REPLY


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "[" * 50_000, reply("yes", "run_rag"), reply(True, "perhaps"), reply(1, "run_rag"), "NaN"]
)
def test_a_useless_reply_is_refused(text: str) -> None:
    with pytest.raises(BadModelReply):
        answers.read_route(text)


def test_a_reply_is_read_as_it_says() -> None:
    assert answers.read_route(reply(True, "run_rag", "never said")) == RouteDecision(run_rag=True, by="model")
    assert answers.read_route(reply(False, "no_rag", " Hello \n there! ")) == RouteDecision(
        run_rag=False, reply="Hello there!", by="model"
    )


@pytest.mark.parametrize(("run", "kind"), [(True, "no_rag"), (False, "run_rag")])
def test_a_contradiction_means_retrieval_and_is_noted(run: bool, kind: str) -> None:
    found = answers.read_route(reply(run, kind, "Hello!"))
    assert found.run_rag and not found.reply
    assert len(found.notes) == 1


@pytest.mark.parametrize("message", ["", " \n", "\x00", 7, None])
def test_a_route_without_a_message_gets_a_fixed_one(message: object) -> None:
    found = answers.read_route(reply(False, "no_rag", message))
    assert found.reply == ENGLISH.frames.offer
    assert len(found.notes) == 1


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Hi", "Hello! What would you like to know?"),
        ("  hello there!! 👋", "Hello! What would you like to know?"),
        ("Thank you very much.", "You are welcome."),
        ("Hello! Thanks a lot, goodbye", "Goodbye!"),
        ("That’s all, thanks", "You are welcome."),
        ("谢谢！", "不客气。"),
        ("你好", "您好！您想了解什么？"),
        ("ありがとうございます。", "どういたしまして。"),
        ("안녕하세요?", "안녕하세요! 무엇을 알고 싶으신가요?"),
        ("Vielen Dank!", "Gern geschehen."),
        ("Merci beaucoup", "Je vous en prie."),
        ("¡Hola!", "¡Hola! ¿Qué le gustaría saber?"),
        ("Bom dia", "Olá! O que gostaria de saber?"),
        ("Grazie mille", "Prego."),
        ("thanks for nothing", None),
        ("hello world", None),
        ("bye bye birdie", None),
        ("", None),
        ("👋", None),
        ("hi " * 100, None),
    ],
)
def test_only_a_message_that_is_a_courtesy_and_nothing_else_is_obvious(message: str, said: str | None) -> None:
    found = answers.obvious_route((user(message),))
    assert (None if found is None else found.reply) == said
    assert found is None or (found.by == "rules" and not found.run_rag)
    assert answers.route_by_rules((user(message),)) == (found or RouteDecision(run_rag=True, by="rules"))


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("hi, how bright is Cairo?", True),
        ("How do I reset my password", True),
        ("The screen stays black after the update. What now?", True),
        ("Wie lange dauert die Kündigungsfrist?", True),
        ("¿Cuánto cuesta la suscripción anual?", True),
        ("夜间灯光有多亮？", True),
        ("How are you doing today?", False),
        ("Who are you?", False),
        ("What can you do?", False),
        ("What now?", False),
        ("Write a poem about autumn.", False),
        ("it does not work", False),
    ],
)
def test_a_question_with_a_subject_needs_documents_and_no_model_says_so(message: str, asks: bool) -> None:
    obvious = answers.obvious_route((user(message),))
    assert obvious == (RouteDecision(run_rag=True, by="rules") if asks else None)


def test_beside_guidance_a_model_says_whether_a_question_belongs_here() -> None:
    guidance = Message(role="system", text="You answer questions about invoices.")
    assert answers.obvious_route((guidance, user("How bright is Cairo at night?"))) is None


def test_thanks_after_a_question_that_nobody_answered_are_not_obvious() -> None:
    question, thanks = user("How bright is Cairo?"), user("Thanks!")
    assert answers.obvious_route((question, thanks)) is None
    assert answers.obvious_route((question, Message(role="assistant", text="Very."), thanks)) is not None


@given(st.text(max_size=120))
def test_without_a_model_every_message_has_a_route(message: str) -> None:
    found = answers.route_by_rules((user(message),))
    assert found.run_rag != bool(found.reply)
