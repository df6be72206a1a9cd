"""A draft that is shown while its model writes it. A block is shown once its citations are checked and no later block
can remove it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.call.model_calls import READING, ModelCalls, Question, StepResult, Value
from retrieval.call.shown_answer import ShownAnswer
from retrieval.citations.blocks import Block
from retrieval.citations.claim_check import Claims
from retrieval.citations.growing_text import GrowingText
from retrieval.errors import BadModelReply
from retrieval.model.answer import Judgement
from retrieval.steps import replies, write
from retrieval.text.growing_object import GrowingObject, Inner

JUDGEMENT: Final = "judgement"

ReadJudgement = Callable[[Mapping[str, object]], Judgement]


class GrowingDraft:
    """Reads a reply while it is written.

    With `read_judgement` the reply has a judgement before its blocks, and blocks before the judgement are ignored.
    Reading stops at a part that cannot be read, and keeps the parts before it.
    """

    def __init__(self, text: GrowingText, shown: ShownAnswer, *, read_judgement: ReadJudgement | None = None) -> None:
        self.judgement: Judgement | None = None
        self._text = text
        self._shown = shown
        self._read_judgement = read_judgement
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
        """Reads one part of the reply. Raises BadModelReply for a part that cannot be read."""
        if part.member == JUDGEMENT and not part.is_item and self._read_judgement is not None:
            self.judgement = self._read_judgement(replies.read_object(part.text))
        is_early = self._read_judgement is not None and self.judgement is None
        if part.member != write.BLOCKS or not part.is_item or is_early:
            return
        for block in self._reader.read(replies.read_object(part.text)):
            self._shown.show(await threads.work(READING * len(block.text), partial(self._text.add, block)))
