"""A draft that is shown while its model writes it. A block is shown once its citations are checked and no later block
can remove it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from retrieval import threads
from retrieval.call import replies
from retrieval.call.model_calls import READING, ModelCalls, Question, StepResult, Value
from retrieval.errors import BadModelReply
from retrieval.text.growing_object import GrowingObject, Inner
from retrieval.writing import write
from retrieval.writing.blocks import Block
from retrieval.writing.claim_check import Claims
from retrieval.writing.growing_text import GrowingText
from retrieval.writing.shown_answer import ShownAnswer


class GrowingDraft:
    """Reads the blocks of a reply while it is written. Reading stops at a block that cannot be read, and keeps the
    blocks before it."""

    def __init__(self, text: GrowingText, shown: ShownAnswer) -> None:
        self._text = text
        self._shown = shown
        self._object = GrowingObject(longest=replies.LONGEST)
        self._reader = write.BlockReader()
        self._parts: asyncio.Queue[Inner | None] = asyncio.Queue()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that were read so far."""
        return tuple(self._reader.blocks)

    def claims(self, draft: Sequence[Block]) -> Claims | None:
        """The claims of a draft, if its blocks equal the blocks that were read while the model wrote; else None."""
        return self._text.claims if self.blocks == tuple(draft) else None

    def hear(self, piece: str) -> None:
        """Gets the next piece of the reply."""
        for inner in self._object.feed(piece):
            self._parts.put_nowait(inner)

    async def ask(self, calls: ModelCalls, question: Question[Value], *, until: float) -> StepResult[Value]:
        """Asks the model, and shows the reply meanwhile. The complete reply is then read once more as a whole."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._show())
            self._shown.begin()
            result = await calls.ask(replace(question, hear=self.hear), until=until)
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
        if part.member != write.BLOCKS or not part.is_item:
            return
        for block in self._reader.read(replies.read_object(part.text)):
            self._shown.show(await threads.work(READING * len(block.text), partial(self._text.add, block)))
