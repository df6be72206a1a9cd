"""The question to the writer of a synthesis, and the check of the citations of every draft."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.call import shown_parts
from retrieval.call.run import READING, Question, Run, StepResult, Value
from retrieval.call.shown_parts import shortenable
from retrieval.model.answer import Chunk, Written
from retrieval.model.retrieval import RetrievalRequest
from retrieval.writing import frame, write
from retrieval.writing.answer_markdown import written
from retrieval.writing.claim_check import Claims
from retrieval.writing.grounds import basis
from retrieval.writing.growing_draft import GrowingDraft, GrowingText, ShownAnswer
from retrieval.writing.write import Block

COMPARING: Final = 4
"""Comparing an answer with one character of a cited chunk takes as much CPU time as reading this many characters of a
document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The draft of a model. `claims` are the claims of its blocks, if these were checked while the model wrote them.
    `first` is the number of its first block: 0, or MOST_BLOCKS for a draft after a second round. `is_cut` says that the
    reply broke off, and that these are its complete blocks."""

    blocks: Sequence[Block]
    claims: Claims | None = None
    first: int = 0
    is_cut: bool = False


def question(
    run: Run, request: RetrievalRequest, chunks: Sequence[Chunk], *, queries: Sequence[str]
) -> Question[tuple[Block, ...]]:
    """The question to the writer of a synthesis."""

    def make(request: RetrievalRequest, chunks: tuple[Chunk, ...]) -> Question[tuple[Block, ...]]:
        prompt = write.prompt(request, chunks, today=run.today, queries=queries)
        return Question(step="answer", prompt=prompt, read=write.read, is_kept=True)

    return shortenable(make, request, chunks)


async def draft_in(result: StepResult[tuple[Block, ...]]) -> Draft | None:
    """The draft in a reply: its blocks, or the complete blocks of a reply that broke off."""
    return await part_of(result) if result.value is None else Draft(blocks=result.value)


async def part_of(result: StepResult[Value]) -> Draft | None:
    """The complete blocks of a reply that could not be read as a whole."""
    blocks, is_cut = await threads.work(READING * len(result.part), partial(write.part, result.part))
    return Draft(blocks=blocks, is_cut=is_cut) if blocks else None


def growing_draft(
    request: RetrievalRequest, chunks: Sequence[Chunk], shown: ShownAnswer, *, first: int = 0
) -> GrowingDraft:
    """A draft from these chunks that is shown while it is written."""
    text = GrowingText(
        basis(chunks, over=(), asked=shown_parts.shown_text(request.messages)),
        names(request, chunks),
        first=first,
    )
    return GrowingDraft(text, shown)


def names(request: RetrievalRequest, chunks: Sequence[Chunk]) -> Mapping[str, str] | None:
    """The texts in brackets by which chunks are cited, by the ids of the chunks; None where the citations are numbers
    in the order of the text."""
    return None if request.cited_by == "number" else frame.names(chunks, request.cited_by)


async def check_draft(
    draft: Draft,
    request: RetrievalRequest,
    chunks: Sequence[Chunk],
    *,
    names: Mapping[str, str] | None,
    selected: Collection[str] = (),
    over: Collection[str] = (),
) -> Written:
    """The draft with the citations that pass. `over` has the ids of chunks beyond the limit. Citations of these chunks
    do not pass."""

    def work() -> Written:
        on = partial(basis, chunks, over=over, asked=shown_parts.shown_text(request.messages))
        claims = Claims(on(), draft.blocks) if draft.claims is None or over else draft.claims
        checked = written(claims, by="model", selected=selected, names=names, first=draft.first)
        return replace(checked, is_cut=draft.is_cut)

    cited = {id for block in draft.blocks for id in block.chunks}
    read = sum(len(chunk.text) for chunk in chunks if chunk.id in cited)
    return await threads.work(READING * sum(len(block.text) for block in draft.blocks) + COMPARING * read, work)
