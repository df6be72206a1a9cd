"""The state of an answer: its chunks, their judgement, and a draft whose citations are checked, awaited."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.call.budget import READING
from retrieval.citations import check as citations
from retrieval.citations import sources
from retrieval.citations.blocks import Block
from retrieval.model.answer import AnswerRequest, QueryResult, Removed, Written
from retrieval.model.chunk import Chunk
from retrieval.model.evidence import Judgement
from retrieval.model.plan import PlannedQuery
from retrieval.model.steps import StepActivity
from retrieval.steps import judge, prompts
from retrieval.text.clipped import clip
from retrieval.text.languages.recognition import language_of_conversation

LONGEST_SEARCH: Final = 300
"""Characters of a sentence about something missing that are searched."""

SOUGHT: Final = "Find what the answer says is missing."
UNGROUNDED: Final = "It cites no chunk of this run."


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of an answer: the chunks so far, their judgement, and the text that may be kept.

    `removed` is what that text lost, or what the last draft lost where no draft may be kept. `drafted` and `concluded`
    are the records of the model calls that were to write, `any_found` says whether any round found a document.
    """

    chunks: tuple[Chunk, ...]
    results: tuple[QueryResult, ...]
    judgement: Judgement
    written: Written | None = None
    removed: tuple[Removed, ...] = ()
    drafted: StepActivity | None = None
    concluded: StepActivity | None = None
    any_found: bool = False


async def with_draft(
    state: State, draft: Sequence[Block] | None, request: AnswerRequest, *, shown: tuple[Chunk, ...]
) -> State:
    """The draft with the citations that pass; a draft that cites nothing is kept only for what it says is missing.

    `shown` is what its writer saw. It may cite as many chunks as may be selected; those that are selected come first.
    """
    if draft is None:
        return state
    asked, most = prompts.shown(request.messages), request.limits.chunks
    chosen = {one.chunk.id for one in state.judgement.selected}
    names = None if request.cited_by == "number" else sources.names(shown, request.cited_by)
    check = partial(
        citations.check,
        draft,
        chunks=shown,
        by="model",
        asked=asked,
        selected=chosen,
        names=names,
        language=language_of_conversation(request.messages),
    )
    size = READING * sum(len(block.text) for block in draft)
    written = await threads.work(size, check)
    if len(written.cited) > most:
        kept = sorted(written.cited, key=lambda id: id not in chosen)[:most]
        over = [one.id for one in shown if one.id not in kept]
        written = await threads.work(size, partial(check, over=over))
    if written.citations or written.missing:
        return replace(state, written=written, removed=written.removed)
    if state.written is not None:
        return state
    uncited = (Removed(kind="sentence", text=written.markdown[:200], reason=UNGROUNDED),) if written.markdown else ()
    return replace(state, removed=(*written.removed, *uncited))


def doubted(judgement: Judgement, because: Sequence[object]) -> Judgement:
    """The judgement: the evidence is not enough where anything is missing, or any figure unfounded."""
    if not because:
        return judgement
    return replace(judgement, evidence=replace(judgement.evidence, sufficient=False))


def searching(state: State) -> State:
    """The state, whose judgement searches for what the answer says is missing where no model's searches for more.

    Where a model expects nothing of searching more, nothing is searched.
    """
    if state.written is None or not state.written.missing or state.judgement.evidence.more_is_useless:
        return state
    judgement, missing = doubted(state.judgement, state.written.missing), state.written.missing[: judge.MOST_FOLLOW_UPS]
    queries = tuple(PlannedQuery(query=clip(one.text, LONGEST_SEARCH), goal=SOUGHT) for one in missing)
    asked = judgement.evidence.follow_ups if judgement.evidence.by == "model" else ()
    evidence = replace(judgement.evidence, follow_ups=asked or queries)
    return replace(state, judgement=replace(judgement, evidence=evidence))
