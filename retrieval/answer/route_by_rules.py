"""The route by rules. Greetings, thanks and farewells need no documents; a question with a subject does."""

import re
from collections.abc import Sequence
from typing import Final

from retrieval.model.answer import RouteDecision
from retrieval.model.conversation import Message, question_place, split
from retrieval.text.clipped import LONGEST_READ, ends
from retrieval.text.content_words import of_question
from retrieval.text.languages.recognition import language_of
from retrieval.text.small_talk import around, reply_to

SUBJECT_WORDS: Final = 2
"""The content words from which a question has a subject. "How are you doing today?" has one."""

_QUESTION_MARK: Final = re.compile("[?？؟]")
_WORD: Final = re.compile(r"[^\W\d_]+")


def obvious(messages: Sequence[Message]) -> RouteDecision | None:
    """The route of a message that is only a greeting, thanks or a farewell, and of a question with a subject; None for
    any other message. A courtesy is not obvious after a message of the user, since that message still needs an answer.
    A question is not obvious beside guidance, which may exclude its subject.

    A small model answered 24 of 30 plain questions itself when it was asked for their route.
    """
    guidance, _ = split(messages)
    last = question_place(messages)
    text = messages[last].text
    if not guidance and _asks_for_a_subject(ends(text, LONGEST_READ)):
        return RouteDecision(run_rag=True, by="rules")
    if last and messages[last - 1].role == "user":
        return None
    reply = reply_to(text)
    return None if reply is None else RouteDecision(run_rag=False, reply=reply, by="rules")


def without_model(messages: Sequence[Message]) -> RouteDecision:
    """The route by rules: documents are needed, unless `obvious` finds another route."""
    return obvious(messages) or RouteDecision(run_rag=True, by="rules")


def _asks_for_a_subject(text: str) -> bool:
    question = around(text)
    first = _WORD.search(question)
    asks = _QUESTION_MARK.search(question) or (first and language_of(question).asks(first[0]))
    return bool(asks) and len(of_question(question)) >= SUBJECT_WORDS
