"""The plan without a model. A conversation becomes one search by weighed words, and a message that stands alone is
searched as it is too. If a message asks several questions, each is searched.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from retrieval.model.conversation import Message, question_of, up_to_question
from retrieval.model.retrieval import Beside, PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.rules import weighed_words
from retrieval.steps import plan
from retrieval.text import small_talk
from retrieval.text.follow_up_question import leans_on_earlier_turns
from retrieval.text.languages.recognition import language_of
from retrieval.text.sentences import sentences

PART_GOAL: Final = "Answer this part of the question"
LONGEST_SPLIT: Final = 350
"""The most characters of a message that is split, about fifty words. For a longer message, searches for its parts find
less than a search for the whole message."""

_MARKS: Final = ("?", "？", "؟")
_CLOSING: Final = "\"'”’»)] \t\r\n"


def without_model(request: RetrievalRequest, *, courtesies: bool = True) -> QueryPlan:
    """The plan: the last user message with the turns that it depends on, and each question if it asks several.

    If the message asks at least as many questions as queries are allowed, the whole message is not searched. Without
    `courtesies`, greetings and thanks around the question are not searched.
    """
    _, most = plan.bounds_of(request)
    messages = request.messages
    if not courtesies:
        messages = small_talk.without(messages)
    conversation = up_to_question(messages)
    whole, *in_context = queries = whole_queries(conversation)
    questions = _questions(conversation, most=most)
    if questions:
        part_queries = [_weighed_query(question, goal=PART_GOAL) for question in questions]
        queries = (whole, *part_queries) if len(part_queries) < most else tuple(part_queries)
        in_context = []
    return QueryPlan(
        queries=plan.distinct(queries)[:most],
        beside=Beside(texts=frozenset(query.query for query in in_context), after=1) if in_context else None,
        history=history(conversation),
        by="rules",
        notes=_clipping_notes(request),
    )


def whole_queries(conversation: Sequence[Message]) -> tuple[PlannedQuery, ...]:
    """The queries for the last message, the leading one first. They are its words with those of the earlier turns. If
    the message stands alone, it is searched as it is before that, since earlier turns may bury its documents.

    Chosen on every second question of a sample of MTRAG, without a factor for a new topic, which this replaces.
    """
    weighed, alone = _weighed_query(conversation, goal=plan.WHOLE_GOAL), conversation[-1:]
    if weighed.weighed is None or leans_on_earlier_turns(conversation[-1].text):
        return (weighed,)
    return plan.distinct((_weighed_query(alone, goal=plan.WHOLE_GOAL), weighed))


def whole_query(request: RetrievalRequest) -> PlannedQuery:
    """The query for the last message beside a model's plan: the leading one of `whole_queries`."""
    return whole_queries(up_to_question(request.messages))[0]


def _weighed_query(conversation: Sequence[Message], *, goal: str) -> PlannedQuery:
    """The query for the last message, with the words of the conversation by their weights."""
    query = plan.as_search(conversation[-1].text)
    weighed = weighed_words.weighed(conversation) if len(conversation) > 1 else None
    return PlannedQuery(
        query=query if weighed is None else weighed_words.shown(query, weighed), goal=goal, weighed=weighed
    )


def history(conversation: Sequence[Message]) -> tuple[Message, ...]:
    """The turns before the last user message if that message depends on them; none if it stands alone."""
    *earlier, question = conversation
    return tuple(earlier) if earlier and leans_on_earlier_turns(question.text) else ()


def _clipping_notes(request: RetrievalRequest) -> tuple[str, ...]:
    """The note about a last message that is longer than a search may be."""
    length = len(question_of(request.messages))
    note = f"The last message has {length} characters; {LONGEST_SEARCH} of them, from both ends, were searched."
    return (note,) if length > LONGEST_SEARCH else ()


def _questions(conversation: Sequence[Message], *, most: int) -> tuple[tuple[Message, ...], ...]:
    """The questions of a last message that asks several: at most `most`, each as a conversation that ends with it.

    A question ends with its mark, never at "and". A sentence between two questions belongs to the second question. The
    earlier questions of the message are earlier turns. The last question includes all questions beyond `most`, and the
    text after them. There are none where the message is long or asks a single question, where a question points back,
    or where only one may be searched.
    """
    text = conversation[-1].text
    if len(text) > LONGEST_SPLIT or most < 2:
        return ()
    spans = [span for span in sentences(text) if _asks(text[span.start : span.end])]
    if len(spans) < 2:
        return ()
    points_back = language_of(text).points_back
    if any(points_back(text[span.start : span.end]) for span in spans):
        return ()
    question_ends = [*[span.end for span in spans[:-1]][: most - 1], len(text)]
    texts = [text[start:end].strip() for start, end in pairwise([0, *question_ends])]
    turns = [Message(role="user", text=text) for text in texts]
    return tuple((*conversation[:-1], *turns[: place + 1]) for place in range(len(turns)))


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING).endswith(_MARKS) and any(map(str.isalnum, sentence))
