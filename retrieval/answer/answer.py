"""The step in which a model reads the evidence once. Its reply has the answer, as blocks that name their chunks, and
then the judgement of the evidence. One prompt serves every round.

The judgement names chunks by their ids, never by their texts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from retrieval.call import prompts, replies
from retrieval.errors import BadModelReply
from retrieval.model.answer import Chunk, Evidence, Judgement, KeyPoint, Selected
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import PlannedQuery, RetrievalRequest
from retrieval.retrieve.plan import plan
from retrieval.text import quotations
from retrieval.text.plain_text import plain
from retrieval.text.reading import ReadChunk
from retrieval.writing import write
from retrieval.writing.blocks import Block

PROMPT: Final[str] = write.PROMPT
MOST_SELECTED: Final = 8
MOST_KEY_POINTS: Final = 8
MOST_CHECKED: Final = 16
MOST_MISSING: Final = 3
MOST_FOLLOW_UPS: Final = 3

_ID: Final[JsonValue] = {"type": "string", "maxLength": 12}
_TEXT: Final[JsonValue] = {"type": "string", "maxLength": 300}
_POINT: Final = replies.object_of({"text": _TEXT, "ids": replies.array_of(_ID, most=MOST_SELECTED)})
_FOLLOW_UP: Final = replies.object_of({"query": _TEXT, "goal": _TEXT, "guessed": {"type": "boolean"}})
_JUDGEMENT: Final[Mapping[str, JsonValue]] = {
    "is_sufficient": {"type": "boolean"},
    "confidence": {"type": "number"},
    "selected": replies.array_of(replies.object_of({"id": _ID, "rationale": _TEXT}), most=MOST_SELECTED),
    "key_points": replies.array_of(_POINT, most=MOST_KEY_POINTS),
    "missing_info_questions": replies.array_of(_TEXT, most=MOST_MISSING),
}
_FOLLOW_UPS: Final[Mapping[str, JsonValue]] = {"follow_ups": replies.array_of(_FOLLOW_UP, most=MOST_FOLLOW_UPS)}

LARGEST: Final = 1e6
"""The largest number that is accepted as a confidence. The confidence is then clamped to 0 to 1. Infinity is not
accepted."""

_LISTS: Final = {
    "selected": "selected chunks were kept; the others were unknown, repeated or too many.",
    "key_points": "key points were kept; the others rested on no chunk or misquoted it, or were too many.",
    "missing_info_questions": "questions were kept; the others were empty, repeated or too many.",
    "follow_ups": "follow-ups were kept; the others were empty, repeated or too many.",
}
NOT_JUDGED: Final = "Its judgement was not used: {why}."


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """The blocks of an answer, and the judgement of the evidence; None where the reply has none that can be used.
    `notes` say which parts of the reply were not used."""

    blocks: tuple[Block, ...]
    judgement: Judgement | None
    notes: tuple[str, ...] = ()


def prompt(
    request: RetrievalRequest,
    chunks: Sequence[Chunk],
    *,
    most: int,
    today: date,
    queries: Sequence[str],
    next: str = "",
    is_last: bool = False,
) -> Prompt:
    """The prompt for a model. At most `most` chunks, and at most eight, may be selected; `queries` were searched.
    `next` is what the plan wants to be looked up after them. The reply to the last prompt of a call has no
    follow-ups."""
    judging = {**_JUDGEMENT, **({} if is_last else _FOLLOW_UPS)}
    return prompts.about_evidence(
        write.PROMPT,
        request,
        chunks,
        parts=(write.BLOCKS, "judgement", *judging),
        schema=replies.object_of({**write.PROPERTIES, **judging}),
        today=today,
        queries=queries,
        next=next,
        most=min(most, MOST_SELECTED),
    )


def read(text: str, *, chunks: Sequence[Chunk], most: int, is_last: bool = False) -> JudgedAnswer:
    """The blocks and the judgement of a reply over these chunks. Raises BadModelReply if there is no block with text,
    unless the list is empty and the evidence judged insufficient."""
    reply = replies.read_object(text)
    if reply.get(write.BLOCKS) == []:
        judged = judgement(reply, chunks=chunks, most=most, is_last=is_last)
        if judged.evidence.sufficient:
            raise BadModelReply("it has no answer")
        return JudgedAnswer(blocks=(), judgement=judged, notes=judged.notes)
    blocks = write.blocks(reply)
    cited = {id for block in blocks for id in block.chunks}
    try:
        judged = judgement(reply, chunks=chunks, most=most, cited=cited, is_last=is_last)
    except BadModelReply as error:
        return JudgedAnswer(blocks=blocks, judgement=None, notes=(NOT_JUDGED.format(why=error.reason),))
    return JudgedAnswer(blocks=blocks, judgement=judged, notes=judged.notes)


def judgement(
    reply: Mapping[str, object], *, chunks: Sequence[Chunk], most: int, cited: Collection[str] = (), is_last: bool
) -> Judgement:
    """The usable part of a reply, within every limit; the notes name the parts that were left out. `cited` are the ids
    that its blocks name. Raises BadModelReply."""
    by_id = {chunk.id: chunk for chunk in chunks}
    lists = {name: () if is_last and name in _FOLLOW_UPS else replies.items(reply, name) for name in _LISTS}
    items = {name: listed[: replies.MOST_ITEMS] for name, listed in lists.items()}
    selected = _choices(items["selected"], by_id)[: min(most, MOST_SELECTED)]
    points = _key_points(items["key_points"], by_id)
    missing = replies.texts([_shown_text(item) for item in items["missing_info_questions"]])[:MOST_MISSING]
    follow_ups = _follow_ups(items["follow_ups"])
    counts = (len(selected), len(points), len(missing), len(follow_ups))
    says_sufficient, confidence = replies.boolean(reply, "is_sufficient"), _confidence(reply.get("confidence"))
    sufficient = says_sufficient and (bool(selected) or not by_id.keys().isdisjoint(cited))
    evidence = Evidence(
        sufficient=sufficient,
        confidence=min(max(confidence, 0.0), 1.0),
        key_points=points,
        missing=missing,
        follow_ups=() if sufficient else follow_ups,
        more_is_useless=not (is_last or says_sufficient or lists["follow_ups"]),
        by="model",
    )
    notes = [
        *(
            f"{used} of {len(lists[name])} {noun}" if used < len(lists[name]) else ""
            for (name, noun), used in zip(_LISTS.items(), counts, strict=True)
        ),
        "" if evidence.confidence == confidence else "Its confidence was outside 0 to 1 and was clamped.",
        "It selected nothing, so its evidence counts as insufficient." if says_sufficient and not sufficient else "",
        "It called the evidence sufficient; its follow-ups were not used." if sufficient and follow_ups else "",
    ]
    return Judgement(selected=selected, evidence=evidence, notes=tuple(note for note in notes if note))


def _choices(items: Sequence[object], by_id: Mapping[str, Chunk]) -> tuple[Selected, ...]:
    choices: dict[str, Selected] = {}
    for item in items:
        chunk = by_id.get(replies.chunk_id(item))
        if chunk is not None:
            rationale = item.get("rationale") if isinstance(item, dict) else ""
            choices.setdefault(chunk.id, Selected(chunk=chunk, rationale=_shown_text(rationale)))
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
    return plan.unlike(map(plan.follow_up, items), most=MOST_FOLLOW_UPS)


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
        raise BadModelReply("its confidence is not a number")
    return float(value)
