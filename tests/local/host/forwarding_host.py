"""A program: the app in Microsoft's worker code with the extension for HTTP streams, behind what the host does then.

The host finds the function, tells the worker of the invocation, and forwards the request itself, with its id, to the
port that the worker opened. The host's part is emulated here; the worker, the extension and its server are Microsoft's.
"""

import asyncio
import importlib
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from uuid import uuid4

import aiohttp
from aiohttp import web

from retrieval.compose.rooms import TABLE
from retrieval.http.template import path_segments
from retrieval.local.host.paths import decode_path, split_target
from retrieval.local.host.table import Function, RouteTable, route_table
from tests.local.host.runtime_engine import PROTOS

ROOT: Final = Path(__file__).parents[3]
HOPS: Final = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade"}


class Message(SimpleNamespace):
    """What the worker reads of a protobuf message. `kind` is what its one-of holds."""

    def WhichOneof(self, group: str) -> str | None:
        kind: str | None = self.kind
        return kind


class ForwardingHost:
    """Answers requests as the host would."""

    def __init__(self, worker: Any, address: str, ids: dict[str, str], table: RouteTable) -> None:
        self._worker, self._address, self._ids, self._table = worker, address, ids, table
        self.invocations: set[asyncio.Task[Any]] = set()

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.raw_path == "/memory":
            return web.Response(text=str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
        path = decode_path(split_target(request.raw_path)[0])
        found = self._table.find(request.method, path_segments(path[1:]))
        if found is None:
            return web.Response(status=404)
        function, values = found
        id = str(uuid4())
        invocation = asyncio.create_task(self._worker.invocation_request(self._invocation(id, function.name, values)))
        self.invocations.add(invocation)
        invocation.add_done_callback(self.invocations.discard)
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in HOPS]
        body = request.content if request.body_exists else None
        async with (
            aiohttp.ClientSession(self._address, auto_decompress=False, timeout=aiohttp.ClientTimeout()) as session,
            session.request(
                request.method, request.raw_path, headers=[*headers, ("x-ms-invocation-id", id)], data=body
            ) as response,
        ):
            kept = [(name, value) for name, value in response.headers.items() if name.lower() not in HOPS]
            answer = web.StreamResponse(status=response.status)
            answer.headers.extend(kept)
            await answer.prepare(request)
            async for part in response.content.iter_any():
                await answer.write(part)
            await answer.write_eof()
            return answer

    def _invocation(self, id: str, name: str, values: Any) -> SimpleNamespace:
        http = SimpleNamespace(method="", url="", headers={}, params=dict(values), query={}, body=Message(kind=None))
        request = SimpleNamespace(
            invocation_id=id,
            function_id=self._ids[name],
            input_data=[Message(kind="data", name="req", data=Message(kind="http", http=http))],
            trigger_metadata={},
            trace_context=SimpleNamespace(trace_parent="", trace_state="", attributes={}),
            retry_context=SimpleNamespace(retry_count=0, max_retry_count=0, exception=None),
        )
        return SimpleNamespace(request=SimpleNamespace(invocation_request=request))


async def open_host() -> ForwardingHost:
    sys.path.insert(0, str(ROOT))
    worker: Any = importlib.import_module("azure_functions_runtime")
    worker.start_threadpool_executor()
    start = SimpleNamespace(capabilities={}, function_app_directory=str(ROOT))
    envelope = SimpleNamespace(
        request=SimpleNamespace(worker_init_request=start), properties={"host": "127.0.0.1", "protos": PROTOS}
    )
    started = await worker.worker_init_request(envelope)
    assert started.result.status == PROTOS.StatusResult.Success, started.result
    indexed = await worker.functions_metadata_request(envelope)
    PROTOS.InvocationResponse = SimpleNamespace
    ids = {one.name: one.function_id for one in indexed.function_metadata_results}
    described = [
        Function(name=name, route=template, methods=tuple(routes))
        for (name, template), routes in TABLE.functions().items()
    ]
    table = route_table([*described, Function(name="zz_unmatched", route="{*path}")])
    return ForwardingHost(worker, started.capabilities["HttpUri"], ids, table)


async def main() -> None:
    host = await open_host()
    runner = web.ServerRunner(web.Server(host, handler_cancellation=True))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    print(f"ready http://127.0.0.1:{port}", flush=True)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # who waits for that line reads no more: a full pipe would halt
    with suppress(asyncio.CancelledError):
        await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
