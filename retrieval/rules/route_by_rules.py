"""The route by rules: greetings, thanks and farewells need no documents."""

from collections.abc import Sequence

from retrieval.model.answer import RouteDecision
from retrieval.model.conversation import Message, question_place
from retrieval.text.small_talk import reply_to


def obvious(messages: Sequence[Message]) -> RouteDecision | None:
    """The route of a message that is only a greeting, thanks or a farewell; None for any other message. None also where
    the message before it is from the user too, since that message still needs an answer.
    """
    last = question_place(messages)
    if last and messages[last - 1].role == "user":
        return None
    reply = reply_to(messages[last].text)
    return None if reply is None else RouteDecision(run_rag=False, reply=reply, by="rules")


def without_model(messages: Sequence[Message]) -> RouteDecision:
    """The route by rules: documents are needed, unless `obvious` finds another route."""
    return obvious(messages) or RouteDecision(run_rag=True, by="rules")
