"""The plan without a model: a conversation as one search by weighed words, several questions one by one.

Loaded where rules plan, so that a process with a model starts without it.
"""

from collections.abc import Sequence
from typing import Final

from retrieval.model.conversation import Message, last_asked, question_of, split
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.steps import plan
from retrieval.text import several_questions, small_talk, weighed_words
from retrieval.text.standalone_question import leans_on_earlier_turns

PART_GOAL: Final = "Answer this part of the question"


def without_model(request: RetrievalRequest, *, courtesies: bool = True) -> QueryPlan:
    """The last user message after its conversation, and each question where it asks several; the turns it depends on.

    Where as many questions are asked as may be searched, the message as a whole is not.

    Without `courtesies`, greetings and thanks around the question are not searched.
    """
    _, most = plan.wanted(request)
    messages = request.messages
    if not courtesies:
        messages = small_talk.without(messages)
    _, conversation = split(messages)
    asked = [_weighed(conversation, goal=plan.WHOLE_GOAL)]
    said = several_questions.parts(conversation, most=most)
    if said:
        each = [_weighed(part, goal=PART_GOAL) for part in said]
        asked = [*asked, *each] if len(each) < most else each
    return QueryPlan(
        queries=plan.distinct(asked)[:most], history=history(conversation), by="rules", notes=_clipped(request)
    )


def _weighed(conversation: Sequence[Message], *, goal: str) -> PlannedQuery:
    """The query for the last message, with the words of the conversation by their weights."""
    asked = question_of(conversation)
    query, weighed = plan.as_search(asked), weighed_words.weighed(conversation)
    return PlannedQuery(
        query=query if weighed is None else weighed_words.shown(query, weighed), goal=goal, weighed=weighed
    )


def history(conversation: Sequence[Message]) -> tuple[Message, ...]:
    """The turns before the last user message if that message depends on them; none if it stands alone."""
    last = last_asked(conversation)
    return tuple(conversation[:last]) if leans_on_earlier_turns(conversation[last].text) else ()


def _clipped(request: RetrievalRequest) -> tuple[str, ...]:
    """The note about a last message that is longer than a search may be."""
    length = len(question_of(request.messages))
    said = f"The last message has {length} characters; {LONGEST_SEARCH} of them, from both ends, were searched."
    return (said,) if length > LONGEST_SEARCH else ()
