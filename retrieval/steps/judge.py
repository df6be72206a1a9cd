"""The judge decides which chunks support an answer, and whether they are enough. The judge names chunks by their ids,
never by their texts."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from retrieval.errors import BadModelReply
from retrieval.model.answer import Chunk, Evidence, Judgement, KeyPoint, Selected
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import PlannedQuery, RetrievalRequest
from retrieval.steps import prompts, replies
from retrieval.text import quotations
from retrieval.text.plain_text import plain
from retrieval.text.reading import ReadChunk

PROMPT: Final[str] = "judge-3"
MOST_SELECTED: Final = 8
MOST_KEY_POINTS: Final = 8
MOST_CHECKED: Final = 16
MOST_MISSING: Final = 3
MOST_FOLLOW_UPS: Final = 3

_TEXT: Final[JsonValue] = {"type": "string"}
SCHEMA: Final = replies.object_of(
    {
        "selected": replies.array_of(replies.object_of({"id": _TEXT, "rationale": _TEXT})),
        "is_sufficient": {"type": "boolean"},
        "confidence": {"type": "number"},
        "key_points": replies.array_of(replies.object_of({"text": _TEXT, "ids": replies.array_of(_TEXT)})),
        "missing_info_questions": replies.array_of(_TEXT),
        "more_is_useless": {"type": "boolean"},
        "follow_ups": replies.array_of(replies.object_of({"query": _TEXT, "goal": _TEXT})),
    }
)

LARGEST: Final = 1e6
"""The largest number that is accepted as a confidence. The confidence is then clamped to 0 to 1. Infinity is not
accepted."""

_LISTS: Final = {
    "selected": "selected chunks were kept; the others were unknown, repeated or too many.",
    "key_points": "key points were kept; the others rested on no chunk or misquoted it, or were too many.",
    "missing_info_questions": "questions were kept; the others were empty, repeated or too many.",
    "follow_ups": "follow-ups were kept; the others were empty, repeated or too many.",
}


def prompt(
    request: RetrievalRequest, chunks: Sequence[Chunk], *, most: int, today: date, queries: Sequence[str]
) -> Prompt:
    """The prompt for a model. At most `most` chunks, and at most eight, may be selected; `queries` were searched."""
    about: dict[str, JsonValue] = {"most_selected": min(most, MOST_SELECTED)}
    return Prompt(
        name=PROMPT,
        instructions=prompts.instructions(PROMPT, nonce=request.nonce),
        data=prompts.evidence(request, chunks, about, today=today, queries=queries),
        schema=SCHEMA,
    )


def read(text: str, *, chunks: Sequence[Chunk], most: int) -> Judgement:
    """The judgement of a reply over these chunks. Raises BadModelReply."""
    return judgement(replies.read_object(text), chunks=chunks, most=most)


def judgement(reply: Mapping[str, object], *, chunks: Sequence[Chunk], most: int) -> Judgement:
    """The usable part of a reply, within every limit; the notes name the parts that were left out. Raises
    BadModelReply."""
    by_id = {chunk.id: chunk for chunk in chunks}
    lists = {name: replies.items(reply, name) for name in _LISTS}
    items = {name: listed[: replies.MOST_ITEMS] for name, listed in lists.items()}
    selected = _choices(items["selected"], by_id)[: min(most, MOST_SELECTED)]
    points = _key_points(items["key_points"], by_id)
    missing = replies.texts([_shown_text(item) for item in items["missing_info_questions"]])[:MOST_MISSING]
    follow_ups = _follow_ups(items["follow_ups"])[:MOST_FOLLOW_UPS]
    counts = (len(selected), len(points), len(missing), len(follow_ups))
    says_sufficient, confidence = replies.boolean(reply, "is_sufficient"), _confidence(reply.get("confidence"))
    sufficient, hopeless = says_sufficient and bool(selected), reply.get("more_is_useless") is True
    evidence = Evidence(
        sufficient=sufficient,
        confidence=min(max(confidence, 0.0), 1.0),
        key_points=points,
        missing=missing,
        follow_ups=() if sufficient else follow_ups,
        more_is_useless=hopeless and not sufficient and not follow_ups,
        by="model",
    )
    notes = [
        *(
            f"{used} of {len(lists[name])} {noun}" if used < len(lists[name]) else ""
            for (name, noun), used in zip(_LISTS.items(), counts, strict=True)
        ),
        "" if evidence.confidence == confidence else "Its confidence was outside 0 to 1 and was clamped.",
        "It selected nothing, so its evidence counts as insufficient." if says_sufficient and not sufficient else "",
        _of_more(evidence, hopeless=hopeless),
        "It called the evidence sufficient; its follow-ups were not used." if sufficient and follow_ups else "",
    ]
    return Judgement(selected=selected, evidence=evidence, notes=tuple(note for note in notes if note))


def _of_more(evidence: Evidence, *, hopeless: bool) -> str:
    if evidence.more_is_useless:
        return "It expects nothing of searching more."
    return "It expects nothing of searching more, yet named follow-ups." if hopeless and evidence.follow_ups else ""


def _choices(items: Sequence[object], by_id: Mapping[str, Chunk]) -> tuple[Selected, ...]:
    choices: dict[str, Selected] = {}
    for item in items:
        member = item if isinstance(item, dict) else {}
        chunk = by_id.get(replies.chunk_id(member.get("id")))
        if chunk is not None:
            choices.setdefault(chunk.id, Selected(chunk=chunk, rationale=_shown_text(member.get("rationale"))))
    return tuple(choices.values())


def _key_points(items: Sequence[object], by_id: Mapping[str, Chunk]) -> tuple[KeyPoint, ...]:
    """At most eight of the first sixteen key points. A key point is kept if it names known chunks that have its
    quotations."""
    points: list[KeyPoint] = []
    read = {id: ReadChunk(chunk) for id, chunk in by_id.items()}
    for item in items[:MOST_CHECKED]:
        member = item if isinstance(item, dict) else {}
        text, names = _shown_text(member.get("text")), member.get("ids")
        names = names[: replies.MOST_ITEMS] if isinstance(names, list) else []
        ids = dict.fromkeys(replies.chunk_id(name) for name in names)
        ids_of_chunks = tuple(id for id in ids if id in by_id)
        if text and ids_of_chunks and quotations.stand(text, [read[id] for id in ids_of_chunks]):
            points.append(KeyPoint(text=text, chunks=ids_of_chunks))
    return tuple(points[:MOST_KEY_POINTS])


def _shown_text(value: object) -> str:
    """A text of the model, made safe to show to people."""
    return plain(replies.line(value), longest=replies.LONGEST_TEXT)


def _follow_ups(items: Sequence[object]) -> tuple[PlannedQuery, ...]:
    queries: dict[str, PlannedQuery] = {}
    for item in items:
        member = item if isinstance(item, dict) else {}
        query = replies.line(member.get("query"), longest=replies.LONGEST_QUERY)
        if query:
            queries.setdefault(query.casefold(), PlannedQuery(query=query, goal=replies.line(member.get("goal"))))
    return tuple(queries.values())


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
        raise BadModelReply("its confidence is not a number")
    return float(value)
