"""The second plan: other queries for a question, after its first queries found no usable documents."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Final

from retrieval.call import prompts, replies, shown_conversation
from retrieval.filters.schema import Schema
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import Facets
from retrieval.retrieve.plan import plan, shown_values

PROMPT: Final[str] = "replan-2"


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
    messages = request.messages
    members: dict[str, JsonValue] = {
        "searched": list(searched),
        **shown_values.facts_of(facets, shown_conversation.shown_text(messages)),
        "fields": plan.filterable_fields(schema),
        **shown_conversation.dated(messages, today),
    }
    shown = {name: value for name, value in members.items() if value} | shown_conversation.members(messages)
    reply = plan.reply_schema(goals=True)
    parts = {"why", *shown, *replies.members_of(reply), *(() if "languages" in shown else ("languages unknown",))}
    return Prompt(
        name=PROMPT,
        instructions=prompts.composed(PROMPT, parts, most=plan.bounds_of(request)[1]),
        data=json.dumps(shown, ensure_ascii=False),
        schema=reply,
    )


def read(text: str, *, most: int, searched: Sequence[str]) -> QueryPlan:
    """At most `most` queries that were not searched yet. Raises BadModelReply if the reply cannot be read or has no
    such query."""
    return plan.read(text, most=most, goals=True, known=[PlannedQuery(query=query) for query in searched])


def unsearched(queries: Sequence[PlannedQuery], searched: Sequence[str]) -> tuple[PlannedQuery, ...]:
    """The queries that were not searched. Upper and lower case make no difference."""
    texts = {text.casefold() for text in searched}
    return tuple(query for query in queries if query.query.casefold() not in texts)
