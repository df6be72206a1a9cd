"""The plan: the queries of a conversation, and a filter for the limits that the user stated.

The prompt has users' texts as JSON strings, which end only at their quotes. So no such text can leave its string.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import zip_longest
from typing import Final

from retrieval.call import prompt_parts, prompts, replies
from retrieval.errors import BadModelReply
from retrieval.filters.schema import Schema
from retrieval.model.conversation import Prompt
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import Facets, SearchTarget
from retrieval.retrieve.plan import facet_preferences, plan_hints
from retrieval.retrieve.plan.plan_hints import Offer
from retrieval.retrieve.plan.plan_limits import bounds_of, choices, follows_up, is_conversation, whole_question
from retrieval.text.content_words import subject
from retrieval.text.counted_noun import how_many
from retrieval.text.growing_object import GrowingObject
from retrieval.text.length import clip

PROMPT: Final[str] = "plan-6"

LONGEST_REPLY: Final = 65_536
WHOLE_GOAL: Final = "Answer the question"
LONGEST_DESCRIPTION: Final = 1_000

NO_NEXT: Final = frozenset({"", "next", "none", "no", "null", "n a", "na", "nil", "nothing", "empty"})
"""What models write in place of an empty text, without signs ("None.", "n/a", "-")."""

BROKEN_OFF: Final = "The model's reply could not be used as a whole; the queries at its beginning were searched too."

_WORD: Final = re.compile(r"[^\W_]+")

_TEXT: Final[JsonValue] = {"type": "string"}
_TEXTS: Final = replies.array_of(_TEXT)
_MEMBERS: Final[Mapping[str, JsonValue]] = {
    "queries": _TEXTS,
    "retrieval_goals": _TEXTS,
    "next": _TEXT,
    "filter": _TEXT,
    "sources": _TEXTS,
    "hints": plan_hints.REPLY,
}
"""The members of a reply. All but the queries are there only if they are wanted."""


def prompt(
    request: RetrievalRequest,
    *,
    today: date,
    goals: bool = False,
    schema: Schema | None = None,
    hints: Sequence[Offer] = (),
    facets: Sequence[Facets] = (),
) -> Prompt:
    """The prompt for a model. Each part is there only if the call has its subject: a filter if filterable fields are
    known, sources if the plan may pick among several, `hints` if a source has usable query hints, a next step if a
    second round may follow, and so on. `facets` are the facets of the indexes, with values that the caller may see."""
    messages, fields, second = request.messages, plan_hints.filter_fields(schema), follows_up(request)
    members: dict[str, JsonValue] = {
        **facet_preferences.facts_of(facets, prompt_parts.shown_text(messages)),
        "fields": fields,
        "sources": [
            {"name": source.source_name, "description": clip(source.description or "", LONGEST_DESCRIPTION)}
            for source in choices(request)
        ],
        "hints": plan_hints.descriptions(hints),
        **prompt_parts.dated(messages, today),
    }
    turns = prompt_parts.members(prompt_parts.guided(messages, request.instructions))
    shown = {name: value for name, value in members.items() if value} | turns
    reply = reply_schema(
        goals=goals, next=second, filter=bool(fields), sources="sources" in shown, hints="hints" in shown
    )
    least, most = bounds_of(request)
    alone = "conversation" not in shown
    parts = {*shown, *replies.members_of(reply), _number_part(least, most, alone=alone, is_last=not second)}
    parts |= {"question alone"} if alone else set()
    return Prompt(
        name=PROMPT,
        instructions=prompts.composed(PROMPT, parts, least=least, most=most),
        data=json.dumps(shown, ensure_ascii=False),
        schema=reply,
    )


def _number_part(least: int, most: int, *, alone: bool, is_last: bool) -> str:
    """The part of the prompt that says how many queries are wanted. The last search covers every part at once."""
    if most == 1 or least > 1:
        return "one" if most == 1 else "at least"
    return "of a conversation" if not alone else "all at once" if is_last else "one or more"


def reply_schema(
    *, goals: bool = False, next: bool = False, filter: bool = False, sources: bool = False, hints: bool = False
) -> dict[str, JsonValue]:
    """The JSON schema of a reply."""
    wanted = {"retrieval_goals": goals, "next": next, "filter": filter, "sources": sources, "hints": hints}
    return replies.object_of({name: shape for name, shape in _MEMBERS.items() if wanted.get(name, True)})


def read(
    text: str,
    *,
    most: int,
    goals: bool = False,
    schema: Schema | None = None,
    sources: Sequence[SearchTarget] = (),
    hints: Sequence[Offer] = (),
    known: Sequence[PlannedQuery] = (),
) -> QueryPlan:
    """The plan of a reply: at most `most` queries of at most 1,000 characters. They repeat neither each other nor a
    known query. Raises BadModelReply if the reply cannot be read or has no such query.

    A filter that the index cannot evaluate, and a source that is not among `sources`, are left out; the notes say why.
    """
    reply = replies.read_object(text, longest=LONGEST_REPLY)
    items, goal_items = replies.items(reply, "queries"), reply.get("retrieval_goals")
    aims: Sequence[object] = goal_items if isinstance(goal_items, list) else ()
    plan = unlike(_queries(items, aims), known=known, most=most)
    if not plan:
        raise BadModelReply("it names no new query" if known else "it names no query")
    filter, filter_text, reason = plan_hints.read_filter(reply.get("filter"), schema)
    picked, unknown = _picked_sources(reply.get("sources"), sources)
    hinted_filters, hint_notes = plan_hints.read(reply.get("hints"), hints) if hints else ((), ())
    notes = [
        f"{len(plan)} of {how_many(len(items), 'query')} were kept; the others were empty, repeated or too many."
        if len(plan) < len(items)
        else "",
        f"{how_many(len(items), 'query')} came with {how_many(len(aims), 'goal')}."
        if goals and len(items) != len(aims)
        else "",
        f"The filter was left out: {reason}" if reason else "",
        f"{unknown} of the sources that it named are none of those it was given." if unknown else "",
        *hint_notes,
    ]
    return QueryPlan(
        queries=plan,
        next=_next(reply.get("next")),
        filter=filter,
        filter_text=filter_text,
        sources=picked,
        hinted=hinted_filters,
        by="model",
        notes=tuple(note for note in notes if note),
    )


class GrowingPlan:
    """The queries of a reply that is still being written. `read` returns these queries too, if it can read the whole
    reply."""

    def __init__(self, *, most: int) -> None:
        self.queries: tuple[PlannedQuery, ...] = ()
        self._most = most
        self._object = GrowingObject(longest=LONGEST_REPLY, strings="queries")
        self._count = 0

    def feed(self, piece: str) -> bool:
        """Reads the next piece. True if this piece completes another query."""
        before = len(self.queries)
        for inner in self._object.feed(piece):
            self._count += 1
            if len(self.queries) < self._most and self._count <= replies.MOST_ITEMS:
                new = unlike(_queries((inner.text,), ()), known=self.queries, most=1)
                self.queries = (*self.queries, *new)
        return len(self.queries) > before


def keeping(planned: QueryPlan, growing: GrowingPlan, *, most: int) -> QueryPlan:
    """The plan with every query that was read while the reply was written, since these queries are searched already. A
    plan by the rules is kept whole beside them, also beyond `most`, since the queries of a reply that broke off may
    find nothing.
    """
    if planned.queries[: len(growing.queries)] == growing.queries:
        return planned
    if planned.by == "rules":
        queries = distinct((*growing.queries, *planned.queries))
    else:
        new = unlike(planned.queries, known=growing.queries, most=most - len(growing.queries))
        queries = (*growing.queries, *new)
    return replace(planned, queries=queries, notes=(*planned.notes, BROKEN_OFF))


def completed(planned: QueryPlan, request: RetrievalRequest, *, most: int) -> QueryPlan:
    """The plan, with the whole question as the last query if there are at least two queries and fewer than `most`. So
    words of the question that the model left out are searched too. Within a conversation the plan stays unchanged.
    """
    if len(planned.queries) < 2 or is_conversation(request):
        return planned
    whole = PlannedQuery(query=whole_question(request), goal=WHOLE_GOAL)
    return replace(planned, queries=distinct((*planned.queries, whole))[:most])


def _picked_sources(names_of_reply: object, sources: Sequence[SearchTarget]) -> tuple[tuple[str, ...], int]:
    """The sources that a reply names, and the number of unknown names in it. Upper and lower case make no
    difference."""
    by_name = {source.source_name.casefold(): source.source_name for source in sources}
    names = names_of_reply[: replies.MOST_ITEMS] if by_name and isinstance(names_of_reply, list) else []
    picked_names = [by_name.get(replies.line(name).casefold()) for name in names]
    return tuple(dict.fromkeys(name for name in picked_names if name is not None)), picked_names.count(None)


def _next(value: object) -> str:
    """What the plan wants looked up next; empty where a model writes that it is nothing."""
    text = replies.line(value)
    return "" if " ".join(_WORD.findall(text.casefold())) in NO_NEXT else text


def _queries(texts: Sequence[object], goals: Sequence[object]) -> Iterator[PlannedQuery]:
    """The queries of a reply, each with the goal at the same position."""
    for query, goal in zip_longest(texts[: replies.MOST_ITEMS], goals[: len(texts)]):
        yield PlannedQuery(query=replies.line(query, longest=replies.LONGEST_QUERY), goal=replies.line(goal))


def unlike(
    queries: Iterable[PlannedQuery], *, known: Iterable[PlannedQuery] = (), most: int
) -> tuple[PlannedQuery, ...]:
    """The first `most` queries that are not empty, and repeat neither each other nor a known query."""
    subjects = {subject(query.query) for query in known}
    kept: list[PlannedQuery] = []
    for query in queries:
        if len(kept) == most:
            break
        of_query = subject(query.query)
        if query.query and of_query not in subjects:
            kept.append(query)
            subjects.add(of_query)
    return tuple(kept)


def follow_up(item: object) -> PlannedQuery:
    """A query with what it rests on, of a judging reply; a model that knows of no guesses writes only the text."""
    members = item if isinstance(item, dict) else {"query": item}
    query = replies.line(members.get("query"), longest=replies.LONGEST_QUERY)
    return PlannedQuery(query=query, goal=replies.line(members.get("goal")), guessed=members.get("guessed") is True)


def distinct(queries: Iterable[PlannedQuery]) -> tuple[PlannedQuery, ...]:
    """The queries that are not empty. Of queries that differ only in case, only the first is kept."""
    by_text: dict[str, PlannedQuery] = {}
    for query in queries:
        if query.query:
            by_text.setdefault(query.query.casefold(), query)
    return tuple(by_text.values())
