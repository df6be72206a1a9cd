"""A chat model whose replies are kept in a file, by prompt, so that each prompt is sent once.

A file has a JSON line a call, written as the call ends: a run that is interrupted goes on where it stopped. A call that
ran out of time is kept as such. A call that failed otherwise is not kept.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from retrieval.errors import BackendTimeout
from retrieval.model.conversation import Prompt, Reply
from retrieval.ports import ChatModel, Hear, Ticks
from tests.benchmarks.with_a_model.replayed import key_of

SERVICE: Final = "The chat model"

Fate: TypeAlias = Literal["whole", "cut", "out of time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call of the model. `name` is the version of its prompt, and `text` the reply, or as much of it as there was
    time for. `seconds` are those in which it was made, also where it is replayed."""

    key: str
    name: str
    instructions: str
    data: str
    text: str
    fate: Fate
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float

    @property
    def step(self) -> str:
        return self.name.partition("-")[0]


class Remembered:
    """`calls` are those since the caller last cleared them. `asked` counts the prompts that were sent. `is_ending` says
    that the whole run is being interrupted, so that a cancelled call had time left."""

    def __init__(self, model: ChatModel, file: Path, *, ticks: Ticks, is_ending: Callable[[], bool]) -> None:
        self.calls: list[ModelCall] = []
        self.asked = 0
        self._model: Final = model
        self._file: Final = file
        self._ticks: Final = ticks
        self._is_ending: Final = is_ending
        self._known: Final = {call.key: call for call in kept(file)}

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendError."""
        key = f"{key_of(prompt)}-{prompt.most_tokens}"
        call = self._known.get(key)
        if call is None:
            return await self._ask(key, prompt, hear)
        self.calls.append(call)
        if hear is not None:
            hear(call.text)
        if call.fate == "out of time":
            raise BackendTimeout(SERVICE, seconds=call.seconds)
        return Reply(
            text=call.text,
            input_tokens=call.input_tokens,
            output_tokens=call.output_tokens,
            ended_by="length" if call.fate == "cut" else None,
        )

    async def _ask(self, key: str, prompt: Prompt, hear: Hear | None) -> Reply:
        heard, start = list[str](), self._ticks()
        self.asked += 1

        def listen(piece: str) -> None:
            heard.append(piece)
            if hear is not None:
                hear(piece)

        def call(text: str, fate: Fate) -> ModelCall:
            return ModelCall(
                key=key,
                name=prompt.name,
                instructions=prompt.instructions,
                data=prompt.data,
                text=text,
                fate=fate,
                seconds=round(self._ticks() - start, 2),
            )

        try:
            reply = await self._model.complete(prompt, hear=listen)
        except asyncio.CancelledError:
            if not self._is_ending():
                self._keep(call("".join(heard), "out of time"))
            raise
        done = call(reply.text, "whole" if reply.ended_by is None else "cut")
        self._keep(replace(done, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens))
        return reply

    def _keep(self, call: ModelCall) -> None:
        self._known[call.key] = call
        self.calls.append(call)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(call), ensure_ascii=False) + "\n")


def kept(file: Path) -> list[ModelCall]:
    """The calls of a file; none where there is no file. A last line that was not written to its end is left out."""
    lines = file.read_text(encoding="utf-8").split("\n")[:-1] if file.exists() else []
    return [ModelCall(**json.loads(line)) for line in lines]
