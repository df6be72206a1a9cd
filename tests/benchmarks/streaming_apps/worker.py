"""A program: one way of answering in Microsoft's worker code, and the CPU time of this process a call, as JSON.

The gRPC of the Functions host is in neither. With the extension the host forwards each request to a port that the
worker opens: another process does that here.
"""

import asyncio
import gc
import importlib
import json
import logging
import sys
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any, Final, Protocol

from retrieval.local.host.engine import open_engine
from retrieval.local.host.exchange import Invocation
from tests.benchmarks.streaming_apps import EVENT, EVENTS, WHOLE
from tests.local.host.runtime_engine import PROTOS, open_runtime

HERE: Final = Path(__file__).parent
BODY: Final = json.dumps({"messages": [{"role": "user", "content": "Which roads follow rivers to harbours?"}]}).encode()
SIZES: Final = {"whole": len(WHOLE), "events": EVENTS * len(EVENT)}
WARM_UP: Final = 50
CALLS: Final = 400
CLIENT: Final = """
import http.client, json, sys, urllib.parse
address, target, first, last, chunked, body = json.loads(sys.argv[1])
connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc)
for number in range(first, last):
    headers = {"content-type": "application/json", "x-ms-invocation-id": f"{target}-{number}"}
    sent = iter([body.encode()]) if chunked else body.encode()
    connection.request("POST", f"/{target}", sent, headers, encode_chunked=chunked)
    response = connection.getresponse()
    print(response.status, len(response.read()))
"""


class Way(Protocol):
    async def calls(self, target: str, first: int, last: int) -> None:
        """Make these calls, one after the other, and see that they are answered."""


class Buffered:
    """One body, by the path of the worker that the local host takes too."""

    async def open(self) -> "Buffered":
        self._engine = await open_engine(HERE / "buffered", open_runtime)
        return self

    async def calls(self, target: str, first: int, last: int) -> None:
        headers = {"content-type": "application/json", "content-length": str(len(BODY))}
        call = Invocation(method="POST", url=f"http://host/{target}", headers=headers, body=BODY)
        for _ in range(first, last):
            response = await self._engine.invoke(target, call)
            assert (response.status, len(response.body)) == (200, SIZES[target])


class _Message(SimpleNamespace):
    """What the worker reads of a protobuf message. `kind` is what its one-of holds."""

    def WhichOneof(self, group: str) -> str | None:
        kind: str | None = self.kind
        return kind


class Extension:
    """The worker's port, and an invocation beside each request to it."""

    chunked = False

    async def open(self) -> "Extension":
        root = HERE / "extension"
        sys.path.insert(0, str(root))
        self._worker: Any = importlib.import_module("azure_functions_runtime")
        self._worker.start_threadpool_executor()
        start = SimpleNamespace(capabilities={}, function_app_directory=str(root))
        envelope = SimpleNamespace(
            request=SimpleNamespace(worker_init_request=start), properties={"host": "127.0.0.1", "protos": PROTOS}
        )
        started = await self._worker.worker_init_request(envelope)
        assert started.result.status == PROTOS.StatusResult.Success, started.result
        self._address = started.capabilities["HttpUri"]
        indexed = await self._worker.functions_metadata_request(envelope)
        self._ids = {one.name: one.function_id for one in indexed.function_metadata_results}
        PROTOS.InvocationResponse = SimpleNamespace
        return self

    async def calls(self, target: str, first: int, last: int) -> None:
        told = json.dumps([self._address, target, first, last, self.chunked, BODY.decode()])
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-c", CLIENT, told, stdout=asyncio.subprocess.PIPE
        )
        for number in range(first, last):
            ended = await self._worker.invocation_request(self._invocation(target, number))
            assert ended.result.status == PROTOS.StatusResult.Success, ended.result
        said, _ = await client.communicate()
        assert said.decode().split("\n")[:-1] == [f"200 {SIZES[target]}"] * (last - first)

    def _invocation(self, target: str, number: int) -> SimpleNamespace:
        nothing = _Message(kind=None)
        http = SimpleNamespace(method="POST", url="", headers={}, params={}, query={}, body=nothing)
        data = _Message(kind="http", http=http)
        request = SimpleNamespace(
            invocation_id=f"{target}-{number}",
            function_id=self._ids[target],
            input_data=[_Message(kind="data", name="req", data=data)],
            trigger_metadata={},
            trace_context=SimpleNamespace(trace_parent="", trace_state="", attributes={}),
            retry_context=SimpleNamespace(retry_count=0, max_retry_count=0, exception=None),
        )
        return SimpleNamespace(request=SimpleNamespace(invocation_request=request))


async def microseconds(way: Way, target: str) -> float:
    """CPU time a call."""
    await way.calls(target, 0, WARM_UP)
    gc.collect()
    start = process_time()
    await way.calls(target, WARM_UP, WARM_UP + CALLS)
    return (process_time() - start) * 1_000_000 / CALLS


async def main(name: str) -> None:
    way = await (Extension() if name == "extension" else Buffered()).open()
    logging.disable(logging.ERROR)
    measured = {target: await microseconds(way, target) for target in SIZES}
    if isinstance(way, Extension):
        way.chunked = True
        await way.calls("whole", WARM_UP + CALLS, WARM_UP + CALLS + 1)
    print(json.dumps(measured), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
