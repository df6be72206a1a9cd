"""The plan without a model. A conversation becomes one search by weighed words, and a message that stands alone is
searched as it is too. A message that asks several questions is searched as a whole: a search for each changed all@10
of a sample of MTRAG by .2 [0, .6].
"""

from collections.abc import Sequence

from retrieval.model.conversation import Message, question_of, up_to_question
from retrieval.model.retrieval import Beside, PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.retrieve.plan import plan, weighed_words
from retrieval.text import small_talk
from retrieval.text.follow_up_question import leans_on_earlier_turns


def without_model(request: RetrievalRequest, *, courtesies: bool = True) -> QueryPlan:
    """The plan: the queries of the last user message. Without `courtesies`, greetings and thanks around the question
    are not searched."""
    _, most = plan.bounds_of(request)
    messages = request.messages
    if not courtesies:
        messages = small_talk.without(messages)
    conversation = up_to_question(messages)
    queries = whole_queries(conversation)[:most]
    in_context = [query.query for query in queries[1:]]
    return QueryPlan(
        queries=queries,
        beside=Beside(texts=frozenset(in_context), after=1) if in_context else None,
        history=history(conversation),
        by="rules",
        notes=_clipping_notes(request),
    )


def whole_queries(conversation: Sequence[Message]) -> tuple[PlannedQuery, ...]:
    """The queries for the last message, the leading one first. They are its words with those of the earlier turns. If
    the message stands alone, it is searched as it is before that, since earlier turns may bury its documents.

    Chosen on every second question of a sample of MTRAG, without a factor for a new topic, which this replaces.
    """
    weighed, alone = _weighed_query(conversation), conversation[-1:]
    if weighed.weighed is None or leans_on_earlier_turns(conversation[-1].text):
        return (weighed,)
    return plan.distinct((_weighed_query(alone), weighed))


def whole_query(request: RetrievalRequest) -> PlannedQuery:
    """The query for the last message beside a model's plan: the leading one of `whole_queries`."""
    return whole_queries(up_to_question(request.messages))[0]


def _weighed_query(conversation: Sequence[Message]) -> PlannedQuery:
    """The query for the last message, with the words of the conversation by their weights."""
    query = plan.as_search(conversation[-1].text)
    weighed = weighed_words.weighed(conversation) if len(conversation) > 1 else None
    shown = query if weighed is None else weighed_words.shown(query, weighed)
    return PlannedQuery(query=shown, goal=plan.WHOLE_GOAL, weighed=weighed)


def history(conversation: Sequence[Message]) -> tuple[Message, ...]:
    """The turns before the last user message if that message depends on them; none if it stands alone."""
    *earlier, question = conversation
    return tuple(earlier) if earlier and leans_on_earlier_turns(question.text) else ()


def _clipping_notes(request: RetrievalRequest) -> tuple[str, ...]:
    """The note about a last message that is longer than a search may be."""
    length = len(question_of(request.messages))
    note = f"The last message has {length} characters; {LONGEST_SEARCH} of them, from both ends, were searched."
    return (note,) if length > LONGEST_SEARCH else ()
