"""The engine of `make run`: functions indexed and converted by the `azure.functions` package, invoked by us.

The decorators, `HttpRequest` and `HttpResponse` and the two converters are Microsoft's; calling the function, its
context and the thread of a sync function are ours, after the worker's rules.
"""

import asyncio
import importlib
import inspect
import logging
import sys
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

import azure.functions as func
from azure.functions.http import HttpRequestConverter, HttpResponseConverter
from azure.functions.meta import Datum

from retrieval.local.host.bindings import describe
from retrieval.local.host.errors import BadApp, BadFunction
from retrieval.local.host.exchange import Invocation, answer
from retrieval.local.host.table import Function
from retrieval.local.wire import WireResponse

_log = logging.getLogger(__name__)
_storage = threading.local()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handler:
    function: Function
    call: Callable[..., Any]
    wants_context: bool


class SdkEngine:
    def __init__(self, handlers: Mapping[str, _Handler]) -> None:
        self._handlers = handlers

    @property
    def title(self) -> str:
        python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
        return f"sdk (azure-functions {func.__version__}, {python})"

    @property
    def functions(self) -> tuple[Function, ...]:
        return tuple(handler.function for handler in self._handlers.values())

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        handler = self._handlers[function]
        try:
            returned = await _run(handler, call)
            return answer(HttpResponseConverter.encode(returned, expected_type=None))
        except Exception:
            _log.exception("Function %r failed.", function)
            return WireResponse(status=500)


async def open_sdk(_root: Path) -> SdkEngine:
    """Index the one FunctionApp of the app; HostError for what the worker's loader would refuse."""
    app = importlib.import_module("function_app")
    found = [value for value in vars(app).values() if isinstance(value, func.FunctionRegister)]
    if len(found) != 1:
        raise BadApp(f"function_app.py must hold exactly one top-level FunctionApp, not {len(found)}", "")
    handlers = [_handler(function) for function in found[0].get_functions()]
    return SdkEngine({handler.function.name: handler for handler in handlers})


def _handler(built: Any) -> _Handler:
    function = describe(built.get_function_name(), built.get_raw_bindings())
    call: Callable[..., Any] = built.get_user_function()
    parameters = set(inspect.signature(call).parameters)
    if parameters - {"context"} != {function.trigger}:
        raise BadFunction(function.name, f"takes {sorted(parameters)}, where its bindings give {[function.trigger]}")
    _check_annotations(function, call)
    return _Handler(function=function, call=call, wants_context="context" in parameters)


def _check_annotations(function: Function, call: Callable[..., Any]) -> None:
    """Annotations are optional, but the worker does not load a function with a wrong one."""
    hints = get_type_hints(call)
    returned, taken = hints.get("return", func.HttpResponse), hints.get(function.trigger, func.HttpRequest)
    if not isinstance(returned, type) or not HttpResponseConverter.check_output_type_annotation(returned):
        raise BadFunction(function.name, f"returns {returned!r}, which must be HttpResponse or str")
    if not isinstance(taken, type) or not HttpRequestConverter.check_input_type_annotation(taken):
        raise BadFunction(function.name, f"takes {taken!r}, which must be HttpRequest")


async def _run(handler: _Handler, call: Invocation) -> object:
    arguments: dict[str, object] = {handler.function.trigger: _request(call)}
    context = _Context(handler, call)
    if handler.wants_context:
        arguments["context"] = context
    if inspect.iscoroutinefunction(handler.call):
        _storage.invocation_id = context.invocation_id
        return await handler.call(**arguments)
    return await asyncio.to_thread(_run_sync, handler.call, arguments, context.invocation_id)


def _run_sync(call: Callable[..., Any], arguments: Mapping[str, object], invocation_id: str) -> object:
    _storage.invocation_id = invocation_id
    try:
        return call(**arguments)
    finally:
        _storage.invocation_id = None


def _request(call: Invocation) -> object:
    fields = {
        "method": Datum(call.method, "string"),
        "url": Datum(call.url, "string"),
        "headers": _strings(call.headers),
        "query": _strings(call.query),
        "params": _strings(call.route_values),
        "body": Datum(call.body, "bytes"),
    }
    return HttpRequestConverter.decode(Datum(fields, "http"), trigger_metadata=None)


def _strings(values: Mapping[str, str]) -> dict[str, Datum]:
    return {name: Datum(value, "string") for name, value in values.items()}


class _Context(func.Context):
    """What a function that takes `context` gets; nothing is retried here."""

    def __init__(self, handler: _Handler, call: Invocation) -> None:
        self._handler = handler
        self._headers = call.headers
        self._invocation_id = str(uuid.uuid4())

    @property
    def invocation_id(self) -> str:
        return self._invocation_id

    @property
    def thread_local_storage(self) -> Any:
        return _storage

    @property
    def function_name(self) -> str:
        return self._handler.function.name

    @property
    def function_directory(self) -> str:
        return str(Path(inspect.getfile(self._handler.call)).parent)

    @property
    def trace_context(self) -> Any:
        return _Trace(
            trace_parent=self._headers.get("traceparent", ""), trace_state=self._headers.get("tracestate", "")
        )

    @property
    def retry_context(self) -> Any:
        return _Retry()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trace:
    trace_parent: str
    trace_state: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Retry:
    retry_count: int = 0
    max_retry_count: int = 0
    exception: None = None
