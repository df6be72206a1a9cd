"""The blocks of an answer that its caller already has while the answer is written, by their ids."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from retrieval.model.answer import ShownBlock
from retrieval.model.progress import BlockAdded, BlocksRevised, Reason
from retrieval.ports import Tell

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
