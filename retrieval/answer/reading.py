"""The reading of the evidence: one question to a model, whose reply has the answer, as blocks that name their chunks,
and then the judgement. One prompt serves every round. The judgement names chunks by their ids, never by their texts.

`State` is an answer before and after a reading. Without a reply the first chunks are selected, and nobody judges.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import zip_longest
from typing import Final

from retrieval.answer import rounds
from retrieval.call import prompts, replies
from retrieval.call.budget import RULES_SECONDS, Run
from retrieval.call.model_calls import Question, ask
from retrieval.call.prompt_parts import shortenable
from retrieval.errors import BadModelReply
from retrieval.model.activity import StepActivity
from retrieval.model.answer import Evidence, Judgement, KeyPoint, QueryResult, Removed, Selected, Written
from retrieval.model.conversation import Prompt
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import Chunk, RetrievalRequest, best_score
from retrieval.retrieve.plan import plan_by_model
from retrieval.text import quotations
from retrieval.text.links import plain
from retrieval.text.text_values import ReadChunk
from retrieval.writing import answer_blocks, shown_draft
from retrieval.writing.answer_blocks import Block
from retrieval.writing.shown_draft import Draft, ShownAnswer

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
        answer_blocks.PROMPT,
        request,
        chunks,
        parts=(answer_blocks.BLOCKS, "judgement", *judging),
        schema=replies.object_of({**answer_blocks.PROPERTIES, **judging}),
        today=today,
        queries=queries,
        next=next,
        most=min(most, MOST_SELECTED),
    )


def read_reply(text: str, *, chunks: Sequence[Chunk], most: int, is_last: bool = False) -> JudgedAnswer:
    """The blocks and the judgement of a reply over these chunks. Raises BadModelReply if there is no block with text,
    unless the list is empty and the evidence judged insufficient."""
    reply = replies.read_object(text)
    if reply.get(answer_blocks.BLOCKS) == []:
        judged = judgement(reply, chunks=chunks, most=most, is_last=is_last)
        if judged.evidence.sufficient:
            raise BadModelReply("it has no answer")
        return JudgedAnswer(blocks=(), judgement=judged, notes=judged.notes)
    blocks = answer_blocks.blocks(reply)
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
    follow_ups = plan_by_model.unlike(map(plan_by_model.follow_up, items["follow_ups"]), most=MOST_FOLLOW_UPS)
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


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
        raise BadModelReply("its confidence is not a number")
    return float(value)


BEFORE: Final = 2
"""The number of chunks before the best chunk of a follow-up. So an answer by rules, which shows three passages, can
show that chunk."""

CITES_NONE: Final = "It cites no chunk of this run."


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of an answer: the chunks so far, their judgement, and the checked text.

    `removed` are the parts that the check removed from the text. If no draft is kept, `removed` also has the beginning
    of the last draft. `reading` is the record of the last model call that read the chunks. `any_found` says whether any
    round found a document, and `any_failed` whether a search of the first round failed. `shown` is the part of the
    answer that its caller has already; None where the caller waits for the whole answer.
    """

    chunks: tuple[Chunk, ...]
    results: tuple[QueryResult, ...]
    judgement: Judgement
    written: Written | None = None
    removed: tuple[Removed, ...] = ()
    reading: StepActivity | None = None
    any_found: bool = False
    any_failed: bool = False
    shown: ShownAnswer | None = None

    @property
    def chosen(self) -> tuple[Chunk, ...]:
        """The chunks that the judgement selects or the text cites."""
        cited = () if self.written is None else self.written.cited
        choices = rounds.with_cited(self.judgement.selected, cited, chunks=self.chunks, most=len(self.chunks))
        return tuple(choice.chunk for choice in choices)


def question(
    run: Run, chunks: Sequence[Chunk], *, queries: Sequence[str], next: str = "", is_last: bool = False
) -> Question[JudgedAnswer]:
    """The question about chunks that these queries found. After the last question of a call nothing is searched."""
    most = run.request.limits.chunks

    def make(request: RetrievalRequest, chunks: tuple[Chunk, ...]) -> Question[JudgedAnswer]:
        asking = partial(prompt, request, chunks, most=most, today=run.today, queries=queries)
        return Question(
            step="answer",
            prompt=asking(next=next, is_last=is_last),
            read=partial(read_reply, chunks=chunks, most=most, is_last=is_last),
            notes=lambda value: value.notes,
            is_kept=True,
        )

    return shortenable(make, run.request, chunks)


async def read(
    run: Run,
    state: State,
    question: Question[JudgedAnswer],
    chunks: tuple[Chunk, ...],
    *,
    unjudged: Judgement,
    first: int = 0,
) -> State:
    """The state after a model has read the chunks. `unjudged` is its judgement where the reply has none. If a reply
    breaks off, its complete blocks are kept. A reply without blocks changes nothing but `reading`.

    `first` is the number of the first block; see `Draft`.
    """
    until = run.deadline - RULES_SECONDS
    shown = state.shown
    growing = None if shown is None else shown_draft.GrowingDraft(run.request, chunks, shown, first=first)
    result = await (ask(run, question, until=until) if growing is None else growing.ask(run, question, until=until))
    state, reading = replace(state, reading=result.record), result.value
    draft = await shown_draft.part_of(result) if reading is None else Draft(blocks=reading.blocks)
    if draft is None:
        return state
    judgement = unjudged if reading is None or reading.judgement is None else reading.judgement
    draft = replace(draft, claims=None if growing is None else growing.claims(draft.blocks), first=first)
    return await _with_draft(replace(state, judgement=judgement), draft, run.request, shown=chunks)


async def _with_draft(state: State, draft: Draft, request: RetrievalRequest, *, shown: tuple[Chunk, ...]) -> State:
    """The state with the checked draft. A draft without citations is kept only if it names missing points. `shown` are
    the chunks that its writer read. A draft may cite at most `limits.chunks` chunks. If it cites more, the citations of
    selected chunks are kept first.
    """
    chosen_ids = {choice.chunk.id for choice in state.judgement.selected}
    names = shown_draft.names(request, shown)
    check = partial(shown_draft.check_draft, draft, request, shown, names=names, selected=chosen_ids)
    written = await check()
    if len(written.cited) > request.limits.chunks:
        kept_ids = sorted(written.cited, key=lambda id: id not in chosen_ids)[: request.limits.chunks]
        written = await check(over=[chunk.id for chunk in shown if chunk.id not in kept_ids])
    if written.citations or written.missing:
        return replace(state, written=written, removed=written.removed)
    if state.written is not None:
        return state
    removal = (Removed(kind="sentence", text=written.markdown[:200], reason=CITES_NONE),) if written.markdown else ()
    return replace(state, removed=(*written.removed, *removal))


def with_new(chunks: Sequence[Chunk], new: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks of a first round and of a follow-up. The first two places are for the first round; from the third
    place on, the two rounds take turns."""
    rows = zip_longest(new, chunks[BEFORE:])
    return (*chunks[:BEFORE], *(chunk for row in rows for chunk in row if chunk is not None))


def not_judged(request: RetrievalRequest, chunks: Sequence[Chunk]) -> Judgement:
    """The judgement without a model: the first chunks are selected. A calibration in the request judges by the best
    score whether they are enough."""
    calibration, most = request.calibration, request.limits.chunks
    choices = tuple(Selected(chunk=chunk, rationale=_rationale(chunk)) for chunk in chunks[:most])
    if calibration is None or not chunks:
        return Judgement(selected=choices, evidence=Evidence())
    score = best_score([chunk.reference.hit.score for chunk in chunks if chunk.round == 0])
    enough = calibration.sufficient_from is not None and score >= calibration.sufficient_from
    evidence = Evidence(sufficient=enough or None, confidence=calibration.probability(score), by="rules")
    return Judgement(selected=choices, evidence=evidence)


def _rationale(chunk: Chunk) -> str:
    if chunk.round:
        return "The follow-up found it."
    score = chunk.reference.hit.score
    return "It was not scored." if score is None else f"The search scored it {score:.2f} of 4."
