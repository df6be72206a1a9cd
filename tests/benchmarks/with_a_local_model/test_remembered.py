"""Each prompt is sent once, whatever became of it, and an interrupted run goes on where it stopped."""

import asyncio
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from retrieval.errors import BackendTimeout, BackendUnavailable
from retrieval.model.conversation import Prompt, Reply
from retrieval.ports import Hear
from tests.benchmarks.with_a_local_model.remembered import Remembered, kept

PROMPT: Final = Prompt(name="plan-6", instructions="Plan.", data="roads", schema={}, most_tokens=9)
WHOLE: Final = Reply(text='{"queries": []}', input_tokens=7, output_tokens=3)


@dataclass(kw_only=True)
class Model:
    """Replies, fails, or says two pieces and nothing more."""

    reply: Reply | BackendUnavailable | None
    asked: list[Prompt] = field(default_factory=list)

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        self.asked.append(prompt)
        if isinstance(self.reply, BackendUnavailable):
            raise self.reply
        if self.reply is None:
            assert hear is not None
            hear('{"que')
            hear('ries"')
            await asyncio.Event().wait()
        assert isinstance(self.reply, Reply)
        return self.reply


def remembered(model: Model, file: Path, *, ending: bool = False) -> Remembered:
    ticks = count()
    return Remembered(model, file, ticks=lambda: float(next(ticks)), is_ending=lambda: ending)


async def test_a_prompt_is_sent_once_for_every_run(tmp_path: Path) -> None:
    model = Model(reply=WHOLE)
    for _ in range(2):
        again = remembered(model, tmp_path / "calls.jsonl")
        assert [await again.complete(PROMPT) for _ in range(2)] == [WHOLE, WHOLE]
        assert [(call.fate, call.seconds) for call in again.calls] == [("whole", 1.0)] * 2
    assert len(model.asked) == 1


async def test_a_reply_that_was_cut_stays_cut(tmp_path: Path) -> None:
    cut = Reply(text="{", input_tokens=7, output_tokens=9, ended_by="length")
    model = remembered(Model(reply=cut), tmp_path / "calls.jsonl")
    assert [await model.complete(PROMPT) for _ in range(2)] == [cut, cut]


async def test_another_limit_of_tokens_is_another_prompt(tmp_path: Path) -> None:
    model = Model(reply=WHOLE)
    again = remembered(model, tmp_path / "calls.jsonl")
    await again.complete(PROMPT)
    await again.complete(Prompt(name="plan-6", instructions="Plan.", data="roads", schema={}, most_tokens=8))
    assert len(model.asked) == 2


async def test_a_call_that_ran_out_of_time_is_kept_with_what_it_said(tmp_path: Path) -> None:
    model = Model(reply=None)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await remembered(model, tmp_path / "calls.jsonl").complete(PROMPT)
    heard: list[str] = []
    with pytest.raises(BackendTimeout):
        await remembered(model, tmp_path / "calls.jsonl").complete(PROMPT, hear=heard.append)
    assert heard == ['{"queries"']
    assert len(model.asked) == 1


async def test_a_call_that_was_interrupted_or_failed_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await remembered(Model(reply=None), file, ending=True).complete(PROMPT)
    with pytest.raises(BackendUnavailable):
        await remembered(Model(reply=BackendUnavailable("The chat model", "is away")), file).complete(PROMPT)
    assert kept(file) == []


async def test_a_line_that_was_not_written_to_its_end_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    await remembered(Model(reply=WHOLE), file).complete(PROMPT)
    with file.open("a") as opened:
        opened.write('{"key": "half')
    assert len(kept(file)) == 1
