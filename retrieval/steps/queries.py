"""The queries: what is searched for, and the filter for what the user asked to be limited to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Final

from retrieval import plan
from retrieval.answer import AnswerRequest, PlannedQuery, QueryPlan
from retrieval.errors import BadFilter, BadModelReply, BadRequest
from retrieval.filters import odata
from retrieval.filters.bind import bind
from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import Boolean, Filter, IsMatch, walk
from retrieval.model import JsonValue, Prompt, RetrievalRequest
from retrieval.steps import courtesies, prompts, replies

PROMPT: Final[str] = "queries-1"
LONGEST_FILTER: Final = 2_000
MOST_FIELDS: Final = 60
WHOLE_GOAL: Final = "Answer the question"
PART_GOAL: Final = "Answer this part of the question"

_TEXTS: Final = replies.array_of({"type": "string"})
_QUERIES: Final[Mapping[str, JsonValue]] = {"queries": _TEXTS, "retrieval_goals": _TEXTS}


def prompt(request: AnswerRequest, *, today: date, schema: Schema | None) -> Prompt:
    """What a model is asked. A filter is asked for only where fields are known that can be filtered by."""
    fields = _listed(schema or {})
    about: dict[str, JsonValue] = {"today": today.isoformat(), "most_queries": request.limits.queries}
    properties: dict[str, JsonValue] = {**_QUERIES, "filter": {"type": "string"}} if fields else {**_QUERIES}
    return Prompt(
        name=PROMPT,
        instructions=prompts.instructions(PROMPT, nonce=request.nonce),
        data=prompts.data(request, {**about, "fields": fields} if fields else about),
        schema=replies.object_of(properties),
    )


def read(text: str, *, most: int, schema: Schema | None) -> QueryPlan:
    """The plan of a reply, at most `most` queries. Raises BadModelReply when there is none.

    A filter that the index cannot answer is left out; the notes say why.
    """
    reply = replies.read_object(text)
    said, goals = replies.items(reply, "queries"), reply.get("retrieval_goals")
    aims: Sequence[object] = goals if isinstance(goals, list) else ()
    found = _queries(said, aims)
    if not found:
        raise BadModelReply("it names no query")
    filter, refused = _filter(reply.get("filter"), schema)
    kept = found[:most]
    notes = [
        f"{len(kept)} of {len(said)} queries were kept; the others were empty, repeated or too many."
        if len(kept) < len(said)
        else "",
        f"{len(said)} queries came with {len(aims)} goals." if len(said) != len(aims) else "",
        f"The filter was left out: {refused}" if refused else "",
    ]
    return QueryPlan(
        queries=kept,
        filter=filter,
        filter_text="" if filter is None else odata.write(filter),
        by="model",
        notes=tuple(note for note in notes if note),
    )


def without_model(request: AnswerRequest) -> QueryPlan:
    """The last message made to stand alone, then its parts; with the earlier turns that it leans on. No courtesies."""
    said = RetrievalRequest(
        messages=request.messages,
        targets=request.targets,
        max_output_tokens=request.limits.tokens,
        max_runtime=request.limits.runtime,
    )
    retrieval = replace(said, messages=courtesies.without(request.messages))
    whole, *parts = plan.without_model(retrieval)
    queries = [PlannedQuery(query=whole, goal=WHOLE_GOAL), *(PlannedQuery(query=one, goal=PART_GOAL) for one in parts)]
    clipped = plan.clipped(said)
    return QueryPlan(
        queries=tuple(queries[: request.limits.queries]),
        history=plan.history(retrieval),
        by="rules",
        notes=() if clipped is None else (clipped,),
    )


def _queries(said: Sequence[object], goals: Sequence[object]) -> tuple[PlannedQuery, ...]:
    """The distinct queries, each with the goal at its place."""
    found: dict[str, PlannedQuery] = {}
    for place, item in enumerate(said):
        query = replies.line(item, longest=replies.LONGEST_QUERY)
        goal = replies.line(goals[place]) if place < len(goals) else ""
        if query:
            found.setdefault(query.casefold(), PlannedQuery(query=query, goal=goal))
    return tuple(found.values())


def _filter(said: object, schema: Schema | None) -> tuple[Filter | None, str]:
    """The filter if the index can answer it, or else why it is not used."""
    if said is None or (isinstance(said, str) and not said.strip()):
        return None, ""
    if not isinstance(said, str):
        return None, "it is not a text."
    if not schema:
        return None, "no field is known that can be filtered by."
    if len(said) > LONGEST_FILTER:
        return None, f"it is longer than {LONGEST_FILTER} characters."
    try:
        return _checked(odata.read(said.strip()), schema), ""
    except BadRequest as error:
        return None, str(error)


def _checked(filter: Filter, schema: Schema) -> Filter:
    """The filter over that index. Raises BadRequest. Full-text tests are searches, which is what queries are for."""
    if isinstance(filter, Boolean):
        raise BadFilter("it names no field")
    if any(isinstance(node, IsMatch) for node in walk(filter)):
        raise BadFilter("search.ismatch searches, and is not a filter by a field")
    return bind(filter, schema)


def _listed(schema: Schema) -> list[JsonValue]:
    """What may be filtered by, sub-fields by their path, at most so many."""
    named = (one for field in schema.values() for one in _filterable(field, field.name))
    return [{"field": name, "type": type} for name, type in islice(named, MOST_FIELDS)]


def _filterable(field: Field, path: str) -> Iterator[tuple[str, str]]:
    type = f"Collection({field.type})" if field.collection else field.type
    if field.type == "Edm.ComplexType":
        inner = [one for sub in field.fields for one in _filterable(sub, f"{path}/{sub.name}")]
        yield from [(path, type), *inner] if field.collection and inner else inner
    elif field.filterable:
        yield path, type
