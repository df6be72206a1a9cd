"""The second plan: other queries for a question, after its first queries found no usable documents."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from retrieval.filters.schema import Schema
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import Facets
from retrieval.steps import plan, prompts, shown_conversation

PROMPT: Final[str] = "replan-1"


def prompt(
    request: RetrievalRequest,
    *,
    today: date,
    searched: Sequence[str],
    schema: Schema | None = None,
    facets: Sequence[Facets] = (),
) -> Prompt:
    """The prompt for a model. `searched` are the search texts used so far. `facets` have the values that the caller may
    see."""
    about: dict[str, JsonValue] = {
        "today": today.isoformat(),
        "searched": list(searched),
        "most_queries": request.limits.queries,
        **plan.facts_of(facets),
    }
    if fields := plan.filterable_fields(schema):
        about["fields"] = fields
    return Prompt(
        name=PROMPT,
        instructions=prompts.instructions(PROMPT, nonce=request.nonce),
        data=shown_conversation.conversation(request.messages, about),
        schema=plan.reply_schema(goals=True),
    )


def read(text: str, *, most: int, searched: Sequence[str]) -> QueryPlan:
    """At most `most` queries that were not searched yet. Raises BadModelReply if the reply cannot be read or has no
    such query."""
    return plan.read(text, most=most, goals=True, known=[PlannedQuery(query=query) for query in searched])


def unsearched(queries: Sequence[PlannedQuery], searched: Sequence[str]) -> tuple[PlannedQuery, ...]:
    """The queries that were not searched. Upper and lower case make no difference."""
    texts = {text.casefold() for text in searched}
    return tuple(query for query in queries if query.query.casefold() not in texts)
