"""The route is the decision whether a message needs documents."""

import json
from datetime import date
from typing import Final

from retrieval.call import prompts, replies, shown_conversation
from retrieval.errors import BadModelReply
from retrieval.model.answer import RouteDecision
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import RetrievalRequest
from retrieval.text.languages.known import ENGLISH
from retrieval.text.languages.language import Language
from retrieval.text.plain_text import plain

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
    shown = {**shown_conversation.dated(request.messages, today), **shown_conversation.members(request.messages)}
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
