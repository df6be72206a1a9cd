"""The engine `runtime`, with which tests run an app: `azure-functions-runtime`, the worker code of Azure since 3.13.

Importing the app, indexing it, decoding the request, the context, the thread pool, the call and encoding the answer
are Microsoft's code. It is entered where the worker's own bridge without protobuf enters it: `worker_init_request`,
`functions_metadata_request` and `native_invocation.invocation_request_native`, with `Datum` values on both sides.
Indexing wants a `protos` module to build its messages with; ours are plain records.
"""

import importlib
import logging
import sys
import uuid
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Final, Protocol

from retrieval.local.host import OpenEngine
from retrieval.local.host.bindings import describe
from retrieval.local.host.errors import BadApp
from retrieval.local.host.exchange import Datum, Invocation, answer
from retrieval.local.host.sdk_engine import open_sdk
from retrieval.local.host.table import Function
from retrieval.local.wire import WireResponse

_log = logging.getLogger(__name__)


class _Record(SimpleNamespace):
    """A message: the fields it was built with."""


class _BindingInfo(_Record):
    """The numbers are those of FunctionRpc.proto."""

    undefined: ClassVar[int] = 0
    out: ClassVar[int] = 1
    inout: ClassVar[int] = 2


class _StatusResult(_Record):
    Failure: ClassVar[int] = 0
    Success: ClassVar[int] = 1


PROTOS = SimpleNamespace(
    BindingInfo=_BindingInfo,
    FunctionMetadataResponse=_Record,
    RpcException=_Record,
    RpcFunctionMetadata=_Record,
    RpcRetryOptions=_Record,
    StatusResult=_StatusResult,
    WorkerInitResponse=_Record,
    WorkerMetadata=_Record,
)


class _NewDatum(Protocol):
    def __call__(self, value: object, type: str) -> Datum: ...


class _Invoke(Protocol):
    """`invocation_request_native`: whether it went well, the answer, the outputs, the error and its traceback."""

    async def __call__(
        self,
        invocation_id: str,
        function_id: str,
        inputs: list[tuple[str, Datum]],
        trigger_metadata: Mapping[str, Datum],
        trace_parent: str,
        trace_state: str,
    ) -> tuple[bool, Datum | None, object, str | None, str | None]: ...


class RuntimeEngine:
    """`indexed` pairs each function with the worker's id for it."""

    def __init__(self, indexed: Mapping[str, tuple[str, Function]]) -> None:
        self._indexed = indexed
        self._datum: _NewDatum = importlib.import_module("azure_functions_runtime.bindings.datumdef").Datum
        self._invoke: _Invoke = importlib.import_module(
            "azure_functions_runtime.native_invocation"
        ).invocation_request_native

    @property
    def title(self) -> str:
        python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
        packages = ", ".join(f"{name} {version(name)}" for name in ("azure-functions-runtime", "azure-functions"))
        return f"runtime ({packages}, {python})"

    @property
    def functions(self) -> tuple[Function, ...]:
        return tuple(function for _, function in self._indexed.values())

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        identity, described = self._indexed[function]
        went_well, datum, _, error, _ = await self._invoke(
            str(uuid.uuid4()),
            identity,
            [(described.trigger, self._request(call))],
            {},
            trace_parent=call.headers.get("traceparent", ""),
            trace_state=call.headers.get("tracestate", ""),
        )
        if not went_well:
            _log.error("Function %r failed: %s. The worker has logged the traceback.", function, error)
            return WireResponse(status=500)
        try:
            return answer(datum)
        except ValueError:
            _log.exception("Function %r failed.", function)
            return WireResponse(status=500)

    def _request(self, call: Invocation) -> Datum:
        fields = {
            "method": self._datum(call.method, "string"),
            "url": self._datum(call.url, "string"),
            "headers": self._strings(call.headers),
            "query": self._strings(call.query),
            "params": self._strings(call.route_values),
            "body": self._datum(call.body, "bytes"),
        }
        return self._datum(fields, "http")

    def _strings(self, values: Mapping[str, str]) -> dict[str, Datum]:
        return {name: self._datum(value, "string") for name, value in values.items()}


async def open_runtime(root: Path) -> RuntimeEngine:
    """Start the worker's thread pool, let it import and index the app; BadApp with its own words when it does not."""
    worker: Any = importlib.import_module("azure_functions_runtime")
    worker.start_threadpool_executor()
    start = SimpleNamespace(capabilities={}, function_app_directory=str(root))
    envelope = SimpleNamespace(
        request=SimpleNamespace(worker_init_request=start), properties={"host": "127.0.0.1", "protos": PROTOS}
    )
    started = await worker.worker_init_request(envelope)
    if started.result.status != _StatusResult.Success:
        raise BadApp(started.result.exception.message, started.result.exception.stack_trace)
    indexed = await worker.functions_metadata_request(envelope)
    return RuntimeEngine(
        {
            each.name: (each.function_id, describe(each.name, each.raw_bindings))
            for each in indexed.function_metadata_results or ()
        }
    )


ENGINES: Final[Mapping[str, OpenEngine]] = {"sdk": open_sdk, "runtime": open_runtime}
