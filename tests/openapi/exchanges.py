"""What was answered since the last check, in this process and by the servers that tests start.

Answers are kept as they pass, and compared with the document when the test is over (`tests/conftest.py`): checking
costs time, and some tests measure it.
"""

from dataclasses import replace
from typing import Final
from urllib.parse import parse_qsl

from retrieval import compose
from retrieval.local.host import Engine, Host, open_host
from retrieval.local.host.exchange import Invocation
from retrieval.local.host.paths import decode_path, split_target
from retrieval.local.host.table import Function
from retrieval.local.wire import WireResponse
from tests.environments import ROOT
from tests.openapi.conforming import Exchange, exchange_faults

MOST: Final = 500
"""Answers that are kept; those of a test that has more are checked before it is over."""

_kept: set[Exchange] = set()
_faults: list[str] = []


def keep(target: str, exchange: Exchange, *, base_path: str = "") -> None:
    """Have the exchange checked. `target` is the path and the query as they were sent.

    A list with `$select` is not checked: OpenAPI cannot say that an item has the members of a query alone."""
    path, query = split_target(target)
    parameters = {name.lower(): value for name, value in reversed(parse_qsl(query))}
    if "$select" in parameters and exchange.status == 200:
        return
    version = parameters.get("api-version", "")
    decoded = decode_path(path)
    gateway = f"/{base_path}" if base_path else ""
    beneath = decoded[len(gateway) :] if decoded.lower().startswith(f"{gateway}/".lower()) else decoded
    _kept.add(replace(exchange, path=beneath, version=version))
    if len(_kept) >= MOST:
        _check()


def unlike_the_document() -> list[str]:
    """The faults of all answers since the last call."""
    _check()
    faults = [*_faults]
    _faults.clear()
    return faults


def _check() -> None:
    while _kept:
        _faults.extend(exchange_faults(_kept.pop()))


class Watched:
    """An engine whose answers are checked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def title(self) -> str:
        return self._engine.title

    @property
    def functions(self) -> tuple[Function, ...]:
        return self._engine.functions

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        answer = await self._engine.invoke(function, call)
        kind = next((value for name, value in answer.headers if name.lower() == "content-type"), "")
        target = "/" + call.url.partition("://")[2].partition("/")[2]
        exchange = Exchange(method=call.method, path="", status=answer.status, content_type=kind, body=answer.body)
        if not streamed(exchange):
            keep(target, exchange, base_path=compose.settings().base_path)
        return answer


async def open_watched() -> Host:
    """The functions behind the local host in this process, whose answers are checked."""
    host = await open_host(ROOT)
    return replace(host, engine=Watched(host.engine))


def streamed(exchange: Exchange) -> bool:
    """Whether the events went out before the function ended, past its answer."""
    return exchange.content_type.startswith("text/event-stream") and not exchange.body
