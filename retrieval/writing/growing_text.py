"""The text of an answer that is still being written. A block is shown as soon as later blocks cannot change whether it
stays."""

from collections.abc import Mapping

from retrieval.model.answer import ShownBlock
from retrieval.writing.blocks import Block
from retrieval.writing.claim_check import Claim, Claims, pruned, settles
from retrieval.writing.claim_markdown import Drawing
from retrieval.writing.grounds import Basis


class GrowingText:
    """Checks blocks as they come.

    `claims` has the claims of the blocks so far. Missing points are not shown here; they come at the end. A heading
    waits for a block below it, and an opener such as "In short:" waits for the claim that it opens. All blocks wait for
    the first block with a citation, since an answer without citations is not shown. `names` are the texts by which
    chunks are cited, or None for numbers from 1; `first` is the place of the first block.
    """

    def __init__(self, basis: Basis, names: Mapping[str, str] | None, *, first: int = 0) -> None:
        self.claims = Claims(basis)
        self._numbers: dict[str, int] | None = {} if names is None else None
        self._names = dict(names or {})
        self._drawing = Drawing(self._names, basis)
        self._held: list[Claim] = []
        self._place = first
        self._waiting: dict[int | None, ShownBlock] = {}
        self._cites = False

    def add(self, block: Block) -> tuple[ShownBlock, ...]:
        """The blocks that can be shown now. A block whose place was already shown replaces the block with that
        place."""
        claim = self.claims.add(block)
        self._held.append(claim)
        if not settles(claim):
            return ()
        for kept in pruned(self._held):
            self._draw(kept)
        self._held = []
        if not self._cites:
            return ()
        blocks, self._waiting = tuple(self._waiting.values()), {}
        return blocks

    def _draw(self, claim: Claim) -> None:
        if claim.block.kind != "missing":
            self._number(claim)
            self._cites = self._cites or bool(claim.citations)
        for block in self._drawing.add(claim, self._place):
            self._waiting[block.place] = block
        self._place += 1

    def _number(self, claim: Claim) -> None:
        """Numbers the labels of the cited chunks in the order of the text. Chunks with the same label get the same
        number."""
        if self._numbers is None:
            return
        for citation in claim.citations:
            source = self.claims.basis.sources[citation.chunk].chunk.source
            self._names[citation.chunk] = str(self._numbers.setdefault(source, len(self._numbers) + 1))
