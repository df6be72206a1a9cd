"""The route is the decision whether a message needs documents. A model decides; by rules, greetings, thanks and
farewells need none, and a question with a subject does.
"""

import json
import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from retrieval.call import prompts, replies, shown_parts
from retrieval.errors import BadModelReply
from retrieval.model.answer import RouteDecision
from retrieval.model.conversation import Message, Prompt, question_place, split
from retrieval.model.retrieval import RetrievalRequest
from retrieval.text.clipped import LONGEST_READ, ends
from retrieval.text.content_words import of_question
from retrieval.text.languages.language import ENGLISH, Language
from retrieval.text.languages.recognition import language_of
from retrieval.text.links import plain
from retrieval.text.small_talk import around, reply_to

PROMPT: Final[str] = "route-3"
LONGEST_REPLY: Final = 1_000

SCHEMA: Final = replies.object_of(
    {
        "should_run_rag": {"type": "boolean"},
        "route": {"type": "string", "enum": ["run_rag", "no_rag"]},
        "assistant_message": {"type": "string"},
    }
)


def prompt(request: RetrievalRequest, *, today: date) -> Prompt:
    """The prompt for a model."""
    shown = {**shown_parts.dated(request.messages, today), **shown_parts.members(request.messages)}
    return Prompt(
        name=PROMPT,
        instructions=prompts.text(PROMPT),
        data=json.dumps(shown, ensure_ascii=False),
        schema=SCHEMA,
    )


def read(text: str, *, language: Language = ENGLISH) -> RouteDecision:
    """The route of a reply. A reply that contradicts itself means that documents are needed. Raises BadModelReply.

    If no documents are needed, a reply without a message for the user gets a message in the `language`.
    """
    reply = replies.read_object(text)
    run, route = replies.boolean(reply, "should_run_rag"), reply.get("route")
    if route not in ("run_rag", "no_rag"):
        raise BadModelReply("its route is neither run_rag nor no_rag")
    if run != (route == "run_rag"):
        note = f"The reply said {'' if run else 'not '}to retrieve, but the route was {route}; documents were searched."
        return RouteDecision(run_rag=True, by="model", notes=(note,))
    if run:
        return RouteDecision(run_rag=True, by="model")
    message = plain(replies.line(reply.get("assistant_message"), longest=LONGEST_REPLY), longest=LONGEST_REPLY)
    notes = () if message else ("The reply had no message for the user; a fixed message was used.",)
    return RouteDecision(run_rag=False, reply=message or language.frames.offer, by="model", notes=notes)


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
