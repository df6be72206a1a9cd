"""A model's selection of the documents of a retrieval: the documents that come first, and further queries.

The prompt asks for ids, for further queries, and whether the documents are enough. Unlike the prompt of `answer`, it
asks for no key points and no confidence, which only answers need. Records and events call this step `judge`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from retrieval.call import prompts, replies, shown_parts
from retrieval.model.answer import Chunk
from retrieval.model.conversation import Prompt
from retrieval.model.retrieval import Key, PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.retrieve.plan import plan

PROMPT: Final[str] = "select-2"
MOST_SELECTED: Final = 8
MOST_FOLLOW_UPS: Final = 3

SCHEMA: Final = replies.object_of(
    {
        "selected": replies.array_of({"type": "string"}),
        "is_sufficient": {"type": "boolean"},
        "follow_ups": replies.array_of(
            replies.object_of({"query": {"type": "string"}, "guessed": {"type": "boolean"}})
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The documents that come first, best first, and the queries for missing information. `is_sufficient` says that a
    model judged these documents to be enough; without any such document it is false."""

    first: tuple[Key, ...]
    is_sufficient: bool
    follow_ups: tuple[PlannedQuery, ...] = ()


def prompt(request: RetrievalRequest, planned: QueryPlan, chunks: Sequence[Chunk], *, today: date) -> Prompt:
    """The prompt for a model. It says what the plan wanted to look up next, and shows the facet values of each
    document."""
    messages = shown_parts.guided(request.messages, request.instructions)
    queries = [query.query for query in planned.queries]
    shown = prompts.searched(queries, messages, today=today, next=planned.next)
    return prompts.over_chunks(PROMPT, chunks, shown, parts=("selected",), schema=SCHEMA, nonce=request.nonce)


def read(text: str, *, chunks: Sequence[Chunk], searched: Sequence[PlannedQuery]) -> Selection:
    """The usable part of a reply: the keys of known ids, and new queries unless the selected documents are enough.
    Raises BadModelReply."""
    reply = replies.read_object(text)
    keys = {chunk.id: chunk.reference.key for chunk in chunks}
    ids = map(replies.chunk_id, replies.items(reply, "selected")[: replies.MOST_ITEMS])
    first = tuple(dict.fromkeys(keys[id] for id in ids if id in keys))[:MOST_SELECTED]
    if replies.boolean(reply, "is_sufficient") and first:
        return Selection(first=first, is_sufficient=True)
    items = replies.items(reply, "follow_ups")[: replies.MOST_ITEMS]
    follow_ups = plan.unlike(map(plan.follow_up, items), known=searched, most=MOST_FOLLOW_UPS)
    return Selection(first=first, is_sufficient=False, follow_ups=follow_ups)
