"""The functions on a loop whose turns are watched, over a scripted Azure in a thread of its own."""

import asyncio
import gc
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from retrieval import compose
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest, WireResponse
from tests.openapi.exchanges import open_watched
from tests.processor import measure_again, process_time
from tests.scenarios.hostile.held import Heart
from tests.scripted_azure import ScriptedAzure, found

KEY: Final = "query-key-5e1d"
ADMIN: Final = "admin-key-77c0"
TRIES: Final = 4
"""A machine that does much else at once makes processor time longer, never shorter: the best of a few is meant."""

SOURCES: Final = tuple(f"atlas-{number}" for number in range(10))
"""As many as a knowledge base may have."""

FIELDS: Final = {
    "name": {"path": "name", "type": "Edm.String"},
    "age": {"path": "age", "type": "Edm.Int32"},
    "token": {"path": "token", "type": "Edm.String", "wholeToken": True},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An answer, and what it took: seconds that the loop was held at once, and those of the whole process together."""

    response: WireResponse
    loop: float
    process: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A call. What varies from one try to the next is made with the number of the try: nothing may be remembered."""

    target: str
    body: Callable[[int], bytes]
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str = KEY


class Deployment:
    def __init__(self, azure: ScriptedAzure, host: Host, runner: asyncio.Runner) -> None:
        self.azure = azure
        self._host = host
        self._runner = runner

    def settle(self) -> None:
        """Take what is loaded by now from the collector: the heap of the tests is many times that of a deployment."""
        gc.collect()
        gc.freeze()

    def held(self, sent: Sent, number: int = 0) -> Held:
        """Make the call, as the only one at this time."""
        body = sent.body(number)
        usual = {"content-type": "application/json", "content-length": str(len(body)), "api-key": sent.key}
        headers = tuple({**usual, **sent.headers}.items())
        request = WireRequest(method=sent.method, target=sent.target, headers=headers, body=body)
        return self._runner.run(self._measured(request))

    def least(self, sent: Sent, *, loop: float, process: float) -> Held:
        """The call that holds least of a few, ending with one that is within the limits. The processor is measured
        again before each further call."""
        best = self.held(sent)
        for number in range(1, TRIES):
            if best.loop <= loop and best.process <= process:
                break
            measure_again()
            again = self.held(sent, number)
            best = min(best, again, key=lambda one: max(one.loop / loop, one.process / process))
        return best

    async def _measured(self, request: WireRequest) -> Held:
        before, heart = process_time(), Heart()
        with heart.beating():
            response = await self._host(request)
        return Held(response=response, loop=heart.longest, process=process_time() - before)


@contextmanager
def deployed(folder: Path, set_environment: Callable[[str, str], None]) -> Iterator[Deployment]:
    """Of the agents `plain`, `planner` with a model and `wide` with ten sources, and of an index of Model Studio."""
    with _beside(ScriptedAzure(search=found())) as azure, asyncio.Runner() as runner:
        for name, value in _environment(azure.address, folder).items():
            set_environment(name, value)
        runner.run(compose.end())
        host = runner.run(open_watched())
        try:
            yield Deployment(azure, host, runner)
        finally:
            gc.unfreeze()
        runner.run(compose.end())


@contextmanager
def _beside(azure: ScriptedAzure) -> Iterator[ScriptedAzure]:
    """The service at its address, in a thread."""
    listens, ends = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with azure.listening():
            listens.set()
            await ends.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    listens.wait()
    try:
        yield azure
    finally:
        loops[0].call_soon_threadsafe(ends.set)
        thread.join()


def _environment(address: str, folder: Path) -> dict[str, str]:
    agents = folder / "agents.json"
    agents.write_text(json.dumps(_definitions(address)))
    published = {"agent": "plain", "index": "atlas", "fields": FIELDS}
    return {
        "LOCAL": "0",
        "AZURE_SEARCH_ENDPOINT": address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(agents),
        "API_KEYS": KEY,
        "ADMIN_API_KEYS": ADMIN,
        "WORKSPACES": json.dumps({"llm-x": {"kb": published}}),
    }


def _definitions(address: str) -> dict[str, Any]:
    return {
        "agents": [_agent("plain"), _agent("planner", _model(address))],
        "knowledgeBases": [{"name": "wide", "knowledgeSources": [{"name": name} for name in SOURCES]}],
        "knowledgeSources": [
            {"name": name, "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": name}}
            for name in SOURCES
        ],
    }


def _agent(name: str, *models: Any) -> dict[str, Any]:
    return {
        "name": name,
        "models": models,
        "targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 1.0}],
        "requestLimits": {"maxRuntimeInSeconds": 60},
    }


def _model(address: str) -> dict[str, Any]:
    parameters = {"resourceUri": address, "deploymentId": "m", "apiKey": "model-key"}
    return {"kind": "azureOpenAI", "azureOpenAIParameters": parameters}
