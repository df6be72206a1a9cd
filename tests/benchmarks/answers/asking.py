"""The collections in the local service, in a process of its own, and what it answers to each question over HTTP."""

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import aiohttp

from tests.benchmarks.answers.endpoint import Endpoint, ModelCall
from tests.running import served
from tests.scripted_azure import ScriptedAzure

FOLDER: Final = Path(__file__).parent
"""Material that was written for this project: `collections`, a folder each, and `questions.json`."""
KEY: Final = "benchmark-key"
SECONDS: Final = 120
"""For one answer: a busy machine is not what is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`turns` are the texts of user and assistant in turn, the last of the user. `gold` are the facts that a complete
    answer has and `documents` the files that hold them; both are empty for a question that nothing answers. `note` is
    for whoever grades."""

    id: str
    collection: str
    kind: str
    turns: tuple[str, ...]
    gold: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    note: str = ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [
            {"role": ("user", "assistant")[place % 2], "content": [{"type": "text", "text": text}]}
            for place, text in enumerate(self.turns)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, the answer's JSON, and the calls of the model that it took."""

    question: Question
    answer: Mapping[str, Any]
    calls: Sequence[ModelCall]

    @property
    def missing(self) -> Sequence[ModelCall]:
        """The first calls in a row without a reply: the later ones rest on what rules did in their place."""
        without = [call for call in self.calls if not call.has_reply]
        return [call for call in without if call.depth == min(one.depth for one in without)]


Ask: TypeAlias = Callable[[Question], Awaitable[Asked]]


def questions(folder: Path = FOLDER) -> list[Question]:
    listed = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return [Question(**{name: _frozen(value) for name, value in one.items()}) for one in listed]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@asynccontextmanager
async def opened(endpoint: Endpoint, folder: Path = FOLDER) -> AsyncIterator[Ask]:
    """What asks a service that has every collection and the endpoint as its model, and keeps nothing afterwards.

    One question after the other, so that each call of the model belongs to one.
    """
    azure = ScriptedAzure(chat=endpoint)
    async with azure.listening():
        with served(Path(sys.executable), *_loads(folder), environ=_environ(azure.address)) as address:
            async with aiohttp.ClientSession(address, timeout=aiohttp.ClientTimeout(total=2 * SECONDS)) as session:
                yield partial(_asked, session, endpoint)


async def _asked(session: aiohttp.ClientSession, endpoint: Endpoint, question: Question) -> Asked:
    endpoint.calls.clear()
    body = {"messages": question.messages, "limits": {"maxRuntimeInSeconds": SECONDS}}
    target = f"/agents/{question.collection}/answer"
    async with session.post(target, json=body, headers={"api-key": KEY}) as response:
        text = await response.text()
    assert response.status == 200, text
    return Asked(question=question, answer=json.loads(text), calls=tuple(endpoint.calls))


def _loads(folder: Path) -> list[str]:
    collections = sorted((folder / "collections").iterdir())
    return [word for collection in collections for word in ("--load", f"{collection.name}={collection}")]


def _environ(model: str) -> dict[str, str]:
    """Nothing of the caller's own environment leads elsewhere."""
    unset = ("AZURE_SEARCH_ENDPOINT", "AGENTS_FILE", "INDEX_FIELDS", "IMPOSED_FILTERS", "BASE_PATH")
    return {
        **dict.fromkeys(unset, ""),
        "AZURE_OPENAI_ENDPOINT": model,
        "AZURE_OPENAI_DEPLOYMENT": "replayed",
        "AZURE_OPENAI_API_KEY": "none",
        "API_KEYS": KEY,
        "AGENTS_STORE": "memory",
    }
