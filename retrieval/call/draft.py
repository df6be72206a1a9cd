"""The state of an answer: its chunks, their judgement, and a draft whose citations are checked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from retrieval.call import writing
from retrieval.call.writing import Draft
from retrieval.model.activity import StepActivity
from retrieval.model.answer import Chunk, Judgement, Missing, QueryResult, Removed, Written
from retrieval.model.retrieval import PlannedQuery, RetrievalRequest
from retrieval.steps import judge
from retrieval.text.clipped import clip

LONGEST_SEARCH: Final = 300
"""The most characters of a missing point that become a query."""

SOUGHT: Final = "Find what the answer says is missing."
CITES_NONE: Final = "It cites no chunk of this run."


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of an answer: the chunks so far, their judgement, and the checked text.

    `removed` are the parts that the check removed from the text. If no draft is kept, `removed` also has the beginning
    of the last draft. `drafted` and `concluded` are the records of the model calls that write. `any_found` says whether
    any round found a document, and `any_failed` whether a search of the first round failed.
    """

    chunks: tuple[Chunk, ...]
    results: tuple[QueryResult, ...]
    judgement: Judgement
    written: Written | None = None
    removed: tuple[Removed, ...] = ()
    drafted: StepActivity | None = None
    concluded: StepActivity | None = None
    any_found: bool = False
    any_failed: bool = False


async def with_draft(
    state: State, draft: Draft | None, request: RetrievalRequest, *, shown: tuple[Chunk, ...]
) -> State:
    """The state with the checked draft. A draft without citations is kept only if it names missing points. `shown` are
    the chunks that its writer read. A draft may cite at most `limits.chunks` chunks. If it cites more, the citations of
    selected chunks are kept first.
    """
    if draft is None:
        return state
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


def doubt(judgement: Judgement, missing: Sequence[Missing]) -> Judgement:
    """The judgement. If points are missing, it says that the evidence is not enough."""
    if not missing:
        return judgement
    return replace(judgement, evidence=replace(judgement.evidence, sufficient=False))


def searching(state: State) -> State:
    """The state with insufficient evidence, and with follow-ups for the first missing points of the answer. Follow-ups
    of a model's judgement are kept instead. The state does not change where the answer lacks nothing, or where a model
    expects nothing from further searches.
    """
    if state.written is None or not state.written.missing or state.judgement.evidence.more_is_useless:
        return state
    judgement, missing = doubt(state.judgement, state.written.missing), state.written.missing[: judge.MOST_FOLLOW_UPS]
    queries = tuple(PlannedQuery(query=clip(gap.text, LONGEST_SEARCH), goal=SOUGHT) for gap in missing)
    model_queries = judgement.evidence.follow_ups if judgement.evidence.by == "model" else ()
    evidence = replace(judgement.evidence, follow_ups=model_queries or queries)
    return replace(state, judgement=replace(judgement, evidence=evidence))
