"""The plan: which queries answer a conversation, and the filter for what the user asked to be limited to.

Awaits nothing. The prompt holds users' texts as JSON strings, which end only at their quotes, so that no such text
can escape and become an instruction.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Final

from retrieval.errors import BadModelReply
from retrieval.filters.schema import Schema
from retrieval.filters.tree import Filter
from retrieval.model import most_subqueries
from retrieval.model.conversation import question_of, split
from retrieval.model.facets import Facets
from retrieval.model.json_value import JsonValue
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.model.prompt import Prompt
from retrieval.model.query_hints import Hinted
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH, RANKED_PER_SUBQUERY, SearchTarget
from retrieval.steps import prompts, replies
from retrieval.text.clipped import LONGEST_READ, clip, ends
from retrieval.text.growing_list import GrowingList
from retrieval.text.how_many import how_many

if TYPE_CHECKING:
    from retrieval.steps.plan_hints import Offered

PROMPT: Final[str] = "plan-4"
WITH_HINTS: Final[str] = "plan-5"
"""The prompt where a source has query hints."""

LONGEST_REPLY: Final = 65_536
WHOLE_GOAL: Final = "Answer the question"
LONGEST_DESCRIPTION: Final = 1_000
MOST_FIELDS: Final = 8
SAMPLES: Final = 8
LONGEST_SAMPLE: Final = 60

BROKEN_OFF: Final = "The model's reply could not be used as a whole; the queries at its beginning were searched too."

_TEXTS: Final = replies.array_of({"type": "string"})


def prompt(
    request: RetrievalRequest,
    *,
    today: date,
    goals: bool = False,
    schema: Schema | None = None,
    hints: "Sequence[Offered]" = (),
    known: Sequence[Facets] = (),
) -> Prompt:
    """The prompt for a model. It asks for a filter only if filterable fields are known, for sources only if there is a
    choice of them, for `hints` only if a source has query hints, and for what is to be looked up next only if something
    will look it up. `known` are facets of the indexes, with values that the caller may see."""
    least, most = wanted(request)
    fields, sources, second = told_fields(schema), choices(request), follows_up(request)
    about: dict[str, JsonValue] = {
        "today": today.isoformat(),
        "queries_wanted": {"least": least, "most": most},
        "second_round": second,
        **told_of(known),
    }
    if fields:
        about["fields"] = fields
    if sources:
        about["sources"] = [_described(one) for one in sources]
    schema_of_reply = reply_schema(goals=goals, next=second, filter=bool(fields), sources=bool(sources))
    name = PROMPT
    if hints:
        from retrieval.steps import plan_hints

        if told := plan_hints.described(hints):
            name, about["hints"], schema_of_reply = WITH_HINTS, told, plan_hints.with_hints(schema_of_reply)
    return Prompt(
        name=name,
        instructions=prompts.text(name),
        data=prompts.conversation(prompts.guided(request.messages, request.instructions), about),
        schema=schema_of_reply,
    )


def hinted(request: RetrievalRequest) -> tuple[SearchTarget, ...]:
    """The targets with query hints. A base of Model Studio has none."""
    return tuple(one for one in request.targets if one.hints and one.kind == "searchIndex" and not one.never)


def settled(request: RetrievalRequest) -> tuple[SearchTarget, ...]:
    """The targets that are searched for every query alike, whatever a plan says after its queries."""
    open_ones, picked = [one for one in request.targets if not one.never], bool(choices(request))
    certain = [one for one in open_ones if one.always or not one.source] if picked else open_ones
    return tuple(one for one in certain if one not in hinted(request))


def follows_up(request: RetrievalRequest) -> bool:
    """Whether what a plan finds may be searched for once more. A conversation is, only where a model judges it."""
    return request.effort == "medium" or (request.effort == "auto" and not is_conversation(request))


def is_conversation(request: RetrievalRequest) -> bool:
    """Whether something was said before the last message."""
    return len(split(request.messages)[1]) > 1


def choices(request: RetrievalRequest) -> tuple[SearchTarget, ...]:
    """The knowledge sources that may be picked from; none where all of them are searched anyway.

    A target that is no knowledge source of its own, as those of 2025-05-01-preview, is always searched.
    """
    if len(request.targets) == 1:
        return ()
    open_ones = tuple(one for one in request.targets if not one.never)
    choosable = any(one.source and not one.always for one in open_ones)
    return open_ones if choosable and len(open_ones) > 1 else ()


def reply_schema(
    *, goals: bool = False, next: bool = False, filter: bool = False, sources: bool = False
) -> dict[str, JsonValue]:
    """The JSON schema of a reply."""
    properties: dict[str, JsonValue] = {"queries": _TEXTS}
    if goals:
        properties["retrieval_goals"] = _TEXTS
    if next:
        properties["next"] = {"type": "string"}
    if filter:
        properties["filter"] = {"type": "string"}
    if sources:
        properties["sources"] = _TEXTS
    return replies.object_of(properties)


def read(
    text: str,
    *,
    most: int,
    goals: bool = False,
    schema: Schema | None = None,
    sources: Sequence[SearchTarget] = (),
    hints: "Sequence[Offered]" = (),
) -> QueryPlan:
    """The plan of a reply: at most `most` distinct queries of 1,000 characters. Raises BadModelReply without any.

    A filter that the index cannot evaluate and a source that is none of `sources` are left out; the notes say why.
    """
    reply = replies.read_object(text, longest=LONGEST_REPLY)
    said, listed = replies.items(reply, "queries"), reply.get("retrieval_goals")
    aims: Sequence[object] = listed if isinstance(listed, list) else ()
    found = _queries(said, aims)
    if not found:
        raise BadModelReply("it names no query")
    filter, filter_text, refused = _filter(reply.get("filter"), schema)
    kept, (picked, unknown) = found[:most], _picked(reply.get("sources"), sources)
    made, unused = _hinted(reply.get("hints"), hints)
    notes = [
        f"{len(kept)} of {how_many(len(said), 'query')} were kept; the others were empty, repeated or too many."
        if len(kept) < len(said)
        else "",
        f"{how_many(len(said), 'query')} came with {how_many(len(aims), 'goal')}."
        if goals and len(said) != len(aims)
        else "",
        f"The filter was left out: {refused}" if refused else "",
        f"{unknown} of the sources that it named are none of those it was given." if unknown else "",
        *unused,
    ]
    return QueryPlan(
        queries=kept,
        next=replies.line(reply.get("next")),
        filter=filter,
        filter_text=filter_text,
        sources=picked,
        hinted=made,
        by="model",
        notes=tuple(note for note in notes if note),
    )


class Heard:
    """The queries of a reply that is still being written, as `read` will have them."""

    def __init__(self, *, most: int) -> None:
        self.queries: tuple[PlannedQuery, ...] = ()
        self._most = most
        self._list = GrowingList("queries", longest=LONGEST_REPLY)
        self._said = 0

    def feed(self, piece: str) -> bool:
        """Whether the piece completes another query."""
        known = len(self.queries)
        for text in self._list.feed(piece):
            self._said += 1
            if len(self.queries) < self._most and self._said <= replies.MOST_ITEMS:
                self.queries = distinct((*self.queries, *_queries((text,), ())))
        return len(self.queries) > known


def keeping(planned: QueryPlan, heard: Heard, *, most: int) -> QueryPlan:
    """The plan with every query that was heard, since those are searched already."""
    if planned.queries[: len(heard.queries)] == heard.queries:
        return planned
    return replace(
        planned, queries=distinct((*heard.queries, *planned.queries))[:most], notes=(*planned.notes, BROKEN_OFF)
    )


def completed(planned: QueryPlan, request: RetrievalRequest, *, most: int) -> QueryPlan:
    """With the whole question after the parts that a model made of it, where there is a place left.

    What a model leaves out of a part is then searched all the same.
    """
    if len(planned.queries) < 2 or is_conversation(request):
        return planned
    whole = PlannedQuery(query=whole_question(request), goal=WHOLE_GOAL)
    return replace(planned, queries=distinct((*planned.queries, whole))[:most])


def whole_question(request: RetrievalRequest) -> str:
    """The last user message as a search."""
    return as_search(question_of(request.messages))


def as_search(text: str) -> str:
    """A message on one line: of a long one its beginning and its end."""
    return ends(" ".join(ends(text, LONGEST_READ).split()), LONGEST_SEARCH)


def as_given(request: RetrievalRequest) -> QueryPlan:
    """The queries that the caller planned, or the last user message; of a long message its beginning and its end."""
    queries = request.queries or (ends(question_of(request.messages), LONGEST_SEARCH),)
    return QueryPlan(queries=tuple(PlannedQuery(query=query) for query in queries), by="rules")


def wanted(request: RetrievalRequest) -> tuple[int, int]:
    """The least and the most queries to plan.

    A sub-query ranks 50 documents, so n times 50 documents ask for n sub-queries
    (knowledge agent retrieve, 2025-05-01-preview, `maxDocsForReranker`). More than any target takes are not asked for
    (2025-08-01-preview, `maxSubQueries`).
    """
    least, most = _usual(request)
    bounds = [one.max_subqueries for one in request.targets if not one.never]
    if not bounds or None in bounds:
        return least, most
    bound = max(one for one in bounds if one is not None)
    return min(least, bound), min(most, bound)


def _usual(request: RetrievalRequest) -> tuple[int, int]:
    """At medium as many as a question may have parts."""
    if request.most_queries is not None:
        return 1, request.most_queries
    if request.max_documents is None:
        return 1, most_subqueries.MOST if request.effort == "medium" else most_subqueries.USUAL
    least = min(math.ceil(request.max_documents / RANKED_PER_SUBQUERY), most_subqueries.MOST)
    return least, max(least, most_subqueries.USUAL)


def told_of(facets: Sequence[Facets]) -> dict[str, JsonValue]:
    """The languages of the indexes, and samples of the values of their fields."""
    languages = list(dict.fromkeys(code for one in facets for code in one.languages))
    values = {name: texts for one in facets for name, texts in one.values.items()}
    samples: dict[str, JsonValue] = {
        name: [clip(text, LONGEST_SAMPLE) for text in texts[:SAMPLES]]
        for name, texts in islice(values.items(), MOST_FIELDS)
    }
    known: dict[str, JsonValue] = {"languages": languages} if languages else {}
    return {**known, "values": samples} if samples else known


def _described(source: SearchTarget) -> JsonValue:
    return {"name": source.source_name, "description": clip(source.description or "", LONGEST_DESCRIPTION)}


def _picked(said: object, sources: Sequence[SearchTarget]) -> tuple[tuple[str, ...], int]:
    """The sources that a reply names, in whatever case, and how many others it names."""
    known = {one.source_name.casefold(): one.source_name for one in sources}
    names = said[: replies.MOST_ITEMS] if known and isinstance(said, list) else []
    found = [known.get(replies.line(one).casefold()) for one in names]
    return tuple(dict.fromkeys(one for one in found if one is not None)), found.count(None)


def told_fields(schema: Schema | None) -> list[JsonValue]:
    """The filterable fields. The modules for filters are loaded only if there are such fields."""
    if not schema:
        return []
    from retrieval.steps import plan_filter

    return plan_filter.fields(schema)


def _filter(said: object, schema: Schema | None) -> tuple[Filter | None, str, str]:
    """The filter and its text if the index can evaluate it, otherwise the reason why it is not used."""
    if said is None or (isinstance(said, str) and not said.strip()):
        return None, "", ""
    if not schema:
        return None, "", "the index has no known field for filters."
    from retrieval.steps import plan_filter

    return plan_filter.read(said, schema)


def _hinted(said: object, hints: "Sequence[Offered]") -> tuple[tuple[Hinted, ...], tuple[str, ...]]:
    """What the reply makes of query hints, and notes; the module for them is loaded only if a source has any."""
    if not hints:
        return (), ()
    from retrieval.steps import plan_hints

    return plan_hints.read(said, hints)


def _queries(said: Sequence[object], goals: Sequence[object]) -> tuple[PlannedQuery, ...]:
    """The distinct queries of a reply, each with the goal at its place."""
    aims = zip_longest(said[: replies.MOST_ITEMS], goals[: len(said)])
    return distinct(
        PlannedQuery(query=replies.line(query, longest=replies.LONGEST_QUERY), goal=replies.line(goal))
        for query, goal in aims
    )


def distinct(queries: Iterable[PlannedQuery]) -> tuple[PlannedQuery, ...]:
    """Those that are not empty; of queries that differ only in case, the first."""
    found: dict[str, PlannedQuery] = {}
    for one in queries:
        if one.query:
            found.setdefault(one.query.casefold(), one)
    return tuple(found.values())
