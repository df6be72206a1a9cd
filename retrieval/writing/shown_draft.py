"""A draft that is shown while its model writes it. A block is shown once its citations are checked and no later block
can remove it. The blocks that a caller already has stay as they are, by their ids.

The question to the writer of a synthesis, and the check of the citations of every draft.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final

from retrieval import threads
from retrieval.call import prompt_parts, replies
from retrieval.call.budget import Run, Value
from retrieval.call.model_calls import READING, Question, StepResult, ask
from retrieval.call.prompt_parts import shortenable
from retrieval.errors import BadModelReply
from retrieval.model.answer import ShownBlock, Written
from retrieval.model.progress import BlockAdded, BlocksRevised, Reason
from retrieval.model.retrieval import Chunk, RetrievalRequest
from retrieval.ports import Tell
from retrieval.text.growing_object import GrowingObject, Inner
from retrieval.writing import answer_blocks
from retrieval.writing.answer_blocks import Block
from retrieval.writing.answer_markdown import Drawing, written
from retrieval.writing.citation_check import Claim, Claims, pruned, settles
from retrieval.writing.claim_support import basis
from retrieval.writing.markdown import citation_names

TAKEN_BACK: Final = ShownBlock(kind="text", markdown="")


class ShownAnswer:
    """Tells the caller of each block once, and of each change. A new block is added only at the end. Text that belongs
    between two blocks becomes part of the second block."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._blocks: list[ShownBlock] = []
        self._ids: dict[int | None, int] = {}
        self._is_old = False

    def begin(self) -> None:
        """Lets a writer begin. Its first block takes back the blocks of an earlier writer."""
        self._is_old = bool(self._blocks)

    def show(self, blocks: Sequence[ShownBlock]) -> None:
        """Shows blocks at the end. A block whose place is already shown replaces the block with that place."""
        if self._is_old and blocks:
            self._is_old = False
            self._ids = {}
            self._revise(dict.fromkeys(range(len(self._blocks)), TAKEN_BACK), "conclusion")
        for block in blocks:
            id = self._ids.get(block.place)
            if id is None:
                self._add(block)
            else:
                self._revise({id: block}, "continued")

    def settle(self, blocks: Sequence[ShownBlock]) -> None:
        """Shows the whole answer. Shown blocks that differ from it are revised, and the remaining blocks are added at
        the end."""
        changes: dict[int, ShownBlock] = dict.fromkeys(range(len(self._blocks)), TAKEN_BACK)
        waiting: list[ShownBlock] = []
        for block in blocks:
            waiting.append(block)
            id = None if block.place is None else self._ids.get(block.place)
            if id is not None:
                changes[id], waiting = _joined(waiting), []
        self._revise(changes, "check")
        for block in waiting:
            self._add(block)

    def _add(self, block: ShownBlock) -> None:
        id = len(self._blocks)
        self._blocks.append(block)
        if block.place is not None:
            self._ids[block.place] = id
        self._tell(BlockAdded(id=id, block=block))

    def _revise(self, changes: dict[int, ShownBlock], reason: Reason) -> None:
        revised: list[BlockAdded] = []
        for id, block in changes.items():
            known = self._blocks[id]
            if (known.markdown, known.citations) != (block.markdown, block.citations):
                self._blocks[id] = block if block.markdown else replace(block, kind=known.kind)
                revised.append(BlockAdded(id=id, block=self._blocks[id]))
        if revised:
            self._tell(BlocksRevised(reason=reason, blocks=tuple(revised)))


def _joined(blocks: Sequence[ShownBlock]) -> ShownBlock:
    """All blocks as one block, with the kind and place of the last block."""
    return replace(
        blocks[-1],
        markdown="".join(block.markdown for block in blocks),
        citations=tuple(chain.from_iterable(block.citations for block in blocks)),
    )


class GrowingDraft:
    """Reads and checks the blocks of a reply while it is written. Reading stops at a block that cannot be read, and
    keeps the blocks before it.

    Missing points are not shown here; they come at the end. A heading waits for a block below it, and an opener such as
    "In short:" waits for the claim that it opens. All blocks wait for the first block with a citation, since an answer
    without citations is not shown. `chunks` may be cited; `first` is the place of the first block.
    """

    def __init__(
        self, request: RetrievalRequest, chunks: Sequence[Chunk], shown: ShownAnswer, *, first: int = 0
    ) -> None:
        self._claims = Claims(basis(chunks, over=(), asked=prompt_parts.shown_text(request.messages)))
        self._is_numbered = request.cited_by == "number"
        self._names = dict(names(request, chunks) or {})
        self._cited: dict[str, Chunk] = {}
        self._drawing = Drawing(self._names, self._claims.basis)
        self._held: list[Claim] = []
        self._place = first
        self._waiting: dict[int | None, ShownBlock] = {}
        self._shown = shown
        self._object = GrowingObject(longest=replies.LONGEST)
        self._reader = answer_blocks.BlockReader()
        self._parts: asyncio.Queue[Inner | None] = asyncio.Queue()

    def claims(self, draft: Sequence[Block]) -> Claims | None:
        """The claims of a draft, if its blocks equal the blocks that were read while the model wrote; else None."""
        return self._claims if self._reader.blocks == list(draft) else None

    def hear(self, piece: str) -> None:
        """Gets the next piece of the reply."""
        for inner in self._object.feed(piece):
            self._parts.put_nowait(inner)

    async def ask(self, run: Run, question: Question[Value], *, until: float) -> StepResult[Value]:
        """Asks the model, and shows the reply meanwhile. The complete reply is then read once more as a whole."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._show())
            self._shown.begin()
            result = await ask(run, replace(question, hear=self.hear), until=until)
            self._parts.put_nowait(None)
        return result

    async def _show(self) -> None:
        try:
            while (part := await self._parts.get()) is not None:
                await self._take(part)
                await asyncio.sleep(0)  # a queue with parts does not give way
        except BadModelReply:
            while await self._parts.get() is not None:
                pass

    async def _take(self, part: Inner) -> None:
        """Reads one part of the reply. Raises BadModelReply for a block that cannot be read."""
        if part.member != answer_blocks.BLOCKS or not part.is_item:
            return
        for block in self._reader.read(replies.read_object(part.text)):
            self._shown.show(await threads.work(READING * len(block.text), partial(self._add, block)))

    def _add(self, block: Block) -> tuple[ShownBlock, ...]:
        """The blocks that can be shown now. A block whose place was already shown replaces the block with that
        place."""
        claim = self._claims.add(block)
        self._held.append(claim)
        if not settles(claim):
            return ()
        for kept in pruned(self._held):
            self._draw(kept)
        self._held = []
        if not self._cited:
            return ()
        blocks, self._waiting = tuple(self._waiting.values()), {}
        return blocks

    def _draw(self, claim: Claim) -> None:
        if claim.block.kind != "missing":
            sources = self._claims.basis.sources
            self._cited.update({citation.chunk: sources[citation.chunk].chunk for citation in claim.citations})
            if self._is_numbered:
                self._names.update(citation_names(self._cited.values(), "number"))
        for block in self._drawing.add(claim, self._place):
            self._waiting[block.place] = block
        self._place += 1


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
        prompt = answer_blocks.prompt(request, chunks, today=run.today, queries=queries)
        return Question(step="answer", prompt=prompt, read=answer_blocks.read, is_kept=True)

    return shortenable(make, request, chunks)


async def draft_in(result: StepResult[tuple[Block, ...]]) -> Draft | None:
    """The draft in a reply: its blocks, or the complete blocks of a reply that broke off."""
    return await part_of(result) if result.value is None else Draft(blocks=result.value)


async def part_of(result: StepResult[Value]) -> Draft | None:
    """The complete blocks of a reply that could not be read as a whole."""
    blocks, is_cut = await threads.work(READING * len(result.part), partial(answer_blocks.part, result.part))
    return Draft(blocks=blocks, is_cut=is_cut) if blocks else None


def names(request: RetrievalRequest, chunks: Sequence[Chunk]) -> Mapping[str, str] | None:
    """The texts in brackets by which chunks are cited, by the ids of the chunks; None where the citations are numbers
    in the order of the text."""
    return None if request.cited_by == "number" else citation_names(chunks, request.cited_by)


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
        on = partial(basis, chunks, over=over, asked=prompt_parts.shown_text(request.messages))
        claims = Claims(on(), draft.blocks) if draft.claims is None or over else draft.claims
        checked = written(claims, by="model", selected=selected, names=names, first=draft.first)
        return replace(checked, is_cut=draft.is_cut)

    cited = {id for block in draft.blocks for id in block.chunks}
    read = sum(len(chunk.text) for chunk in chunks if chunk.id in cited)
    return await threads.work(READING * sum(len(block.text) for block in draft.blocks) + COMPARING * read, work)
