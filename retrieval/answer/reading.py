"""The reading of the evidence: one question to a model, whose reply has the answer and the judgement, and the state of
an answer before and after it. Without a reply the first chunks are selected, and nobody judges."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Final

from retrieval.answer import answer, answer_chunks
from retrieval.answer.answer import JudgedAnswer
from retrieval.call import fitting
from retrieval.call.model_calls import Question
from retrieval.call.run import RULES_SECONDS, Run
from retrieval.model.activity import StepActivity
from retrieval.model.answer import Chunk, Evidence, Judgement, QueryResult, Removed, Selected, Written
from retrieval.model.calibration import best_score
from retrieval.model.retrieval import RetrievalRequest
from retrieval.writing import writing
from retrieval.writing.shown_answer import ShownAnswer
from retrieval.writing.writing import Draft

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
        choices = answer_chunks.with_cited(self.judgement.selected, cited, chunks=self.chunks, most=len(self.chunks))
        return tuple(choice.chunk for choice in choices)


def question(
    run: Run, chunks: Sequence[Chunk], *, queries: Sequence[str], next: str = "", is_last: bool = False
) -> Question[JudgedAnswer]:
    """The question about chunks that these queries found. After the last question of a call nothing is searched."""
    most, today = run.request.limits.chunks, run.ports.clock().date()

    def make(request: RetrievalRequest, chunks: tuple[Chunk, ...]) -> Question[JudgedAnswer]:
        asking = partial(answer.prompt, request, chunks, most=most, today=today, queries=queries)
        return Question(
            step="answer",
            version=answer.PROMPT,
            prompt=asking(next=next, is_last=is_last),
            read=partial(answer.read, chunks=chunks, most=most, is_last=is_last),
            notes=lambda value: value.notes,
            is_kept=True,
        )

    return fitting.question(make, run.request, chunks)


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
    calls, until = run.calls, run.calls.deadline - RULES_SECONDS
    shown = state.shown
    growing = None if shown is None else writing.growing_draft(run.request, chunks, shown, first=first)
    result = await (calls.ask(question, until=until) if growing is None else growing.ask(calls, question, until=until))
    state, reading = replace(state, reading=result.record), result.value
    draft = await writing.part_of(result) if reading is None else Draft(blocks=reading.blocks)
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
    names = writing.names(request, shown)
    check = partial(writing.check_draft, draft, request, shown, names=names, selected=chosen_ids)
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
