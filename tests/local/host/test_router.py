"""Our host beside the Functions host's own router: every route, every method and odd spellings, decided alike.

The router is no part of the project; it stands beside it, and where it does not these tests are skipped.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import pytest

from retrieval.compose.rooms import TABLE
from retrieval.local.host import Host, host_over
from retrieval.local.host.exchange import Invocation
from retrieval.local.host.table import Function
from retrieval.local.server import serving
from retrieval.local.wire import WireResponse
from tests.environments import ROOT

Verdict: TypeAlias = list[Any] | int
"""A function's name with its route values, or the status that the host answers by itself."""

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "get", "Post")
UNMATCHED: Final = "zz_unmatched"
MCP: Final = frozenset({"agents_mcp", "knowledgebases_mcp", "knowledgebases_mcp_odata"})
STARTS: Final = 3

ADDRESSES: Final = (
    "/agents",
    "/agents/x",
    "/agents('x')",
    "/agents/x/retrieve",
    "/agents('x')/retrieve",
    "/agents/x/answer",
    "/agents('x')/answer",
    "/agents/x/mcp",
    "/agents('x')/mcp",
    "/llm-shop/index/retrieve",
    "/WS_old/index/retrieve",
    "/shop/index/retrieve",
    "/health",
    "/ready",
    "/openapi.json",
    "/knowledgebases",
    "/knowledgebases/x",
    "/knowledgebases('x')",
    "/knowledgebases/x/mcp",
    "/knowledgebases('x')/mcp",
    "/knowledgebases/x/retrieve",
    "/knowledgebases('x')/retrieve",
    "/knowledgesources",
    "/knowledgesources/x",
    "/knowledgesources('x')",
    "/knowledgesources/x/status",
    "/knowledgesources('x')/status",
    "/.well-known/oauth-protected-resource/agents/x/mcp",
    "/.well-known/oauth-protected-resource/knowledgebases/x/mcp",
    "/.Well-Known/OAuth-Protected-Resource/knowledgebases('x')/mcp/",
    "/.well-known/oauth-protected-resource",
    "/nowhere/at/all",
    "/",
)
SPELLINGS: Final = tuple(
    """// /// //health //agents/x/retrieve //agents('x')/retrieve /%2Fhealth /./health /../health
    /agents//retrieve /agents/x//retrieve /agents// /agents/x/retrieve/ /agents/x/retrieve// /agents/
    /AGENTS/x/Retrieve /Agents('x')/RETRIEVE /%61gents/x /agents%28%27x%27%29/retrieve /agents(%27x%27)
    /agents('')/retrieve /agents()/retrieve /agents(x)/retrieve /agents('x'/retrieve /agents('x')y
    /agents('it''s') /agents('agents('x') /agents('agents('') /agents('x')') /agents(''') /agents('/')
    /agents('x/y') /agents('x%2Fy')/retrieve /agents/x%2Fy /agents/a%20b /agents/%E4%B8%AD /agents/%ff
    /agents/%C5%BF /agent%C5%BF /%E2%84%AA /agents/. /agents/.. /agents/x/../y/retrieve /agents/%2e%2e
    /agents/x?y=/z /agents?x /agents/x;y /agents/x#y /agents/* /agents/{name} /agents/%7Bname%7D /agents/x/mcp/
    /agents/x/mcp/y /agents/mcp /agents/answer /agents/index/retrieve /llm/index/retrieve /llm-/index/retrieve
    /LLM-x/Index/Retrieve/ /xllm-x/index/retrieve /ws-/index/retrieve /llm-x/index /health/ /health// /Health
    /health/x /openapi_json /OpenAPI.json /openapi%2Ejson /ready%00 /%00 /agents/é /é /agents?q=é /agents/%zz
    /KnowledgeBases('x')/ /KNOWLEDGEBASES/x/ /knowledgebases('it''s') /knowledgebases('o'b')/retrieve
    /knowledgesources('x')/Status/ /knowledgesources/status /knowledgesources/x/status/y /knowledgesources/x/retrieve
    /knowledgesources('')/status /knowledgesources()/status /knowledgesources(%27x%27)/status /knowledge-sources/x
    /knowledgebases/mcp /knowledgebases/index/retrieve /knowledgesources/index/retrieve /knowledgebasesx
    /agents/% /agents/%2541 /agents/a+b /agents/x'""".split()
)


@cache
def router() -> Path | None:
    """The program that asks the router, in a folder beside the project or beside one above it."""
    places = (above / "shared" / "tools" / "functions-router" / "replay.py" for above in ROOT.parents)
    return next((place for place in places if place.is_file()), None)


def asked() -> list[tuple[str, str]]:
    return [(method, target) for target in (*ADDRESSES, *SPELLINGS) for method in METHODS]


@pytest.fixture(scope="module")
def theirs(host: Host, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Verdict]:
    """What the router decides for each of `asked`."""
    program = router()
    if program is None:
        pytest.skip("the Functions host's router is not beside this project (../shared/tools/functions-router)")
    if sys.platform != "linux":
        pytest.skip("the Functions host's router is a program for Linux")
    functions = [{"name": one.name, "route": one.template, "methods": one.methods} for one in host.engine.functions]
    routes = tmp_path_factory.mktemp("router") / "routes.json"
    routes.write_text(json.dumps({"functions": functions, "requests": asked()}), encoding="utf-8")
    verdicts: list[Verdict] = json.loads(replayed(program, routes))
    assert len(verdicts) == len(asked())
    return verdicts


def replayed(program: Path, routes: Path) -> str:
    """What it prints. It listens at a port that was free a moment before, so that a start may fail by chance."""
    for _ in range(STARTS):
        done = subprocess.run([sys.executable, program, routes], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout
    raise AssertionError(done.stderr)


class Telling:
    """An engine that answers with what it was to run."""

    title = "telling"

    def __init__(self, functions: tuple[Function, ...]) -> None:
        self.functions = functions

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        told = json.dumps([function, dict(call.route_values)])
        return WireResponse(status=200, headers=(("x-decided", told),))


async def decided(address: str, method: str, target: str) -> Verdict:
    reader, writer = await asyncio.open_connection(urlsplit(address).hostname, urlsplit(address).port)
    head = f"{method} {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    lines = (await reader.read()).partition(b"\r\n\r\n")[0].decode().split("\r\n")
    writer.close()
    headers = dict(line.partition(": ")[::2] for line in lines[1:])
    verdict: Verdict = json.loads(headers["x-decided"]) if "x-decided" in headers else int(lines[0].split(" ")[1])
    return verdict


def without_absent(verdict: Verdict) -> Verdict:
    """A value that is not there is null for them, and not there for us."""
    if isinstance(verdict, int):
        return verdict
    name, values = verdict
    return [name, {key: value for key, value in values.items() if value}]


async def test_our_host_decides_as_the_functions_hosts_router(host: Host, theirs: Sequence[Verdict]) -> None:
    async with serving(host_over(Telling(host.engine.functions))) as address:
        ours = [await decided(address, method, target) for method, target in asked()]
    differing = {
        request: (one, other)
        for request, one, other in zip(asked(), ours, theirs, strict=True)
        if without_absent(one) != without_absent(other)
    }
    assert differing == {}
    assert len({json.dumps(one) for one in theirs}) > 40


def test_the_methods_that_an_address_is_said_to_have_are_those_that_the_router_takes(
    host: Host, theirs: Sequence[Verdict]
) -> None:
    verdicts = dict(zip(asked(), theirs, strict=True))
    for target, path in unmatched(verdicts).items():
        routed = {method for method in METHODS[:9] if name(verdicts[method, target]) not in (UNMATCHED, "")}
        said = set(TABLE.of_path(path))
        takers = {name(verdicts[method, target]) for method in METHODS}
        refused = {"GET", "DELETE"} if takers & MCP else set()
        assert said == routed - refused, target


def unmatched(verdicts: Mapping[tuple[str, str], Verdict]) -> dict[str, str]:
    """The targets that fit no function with some method, and the path that is then seen."""

    def seen() -> Iterator[tuple[str, str]]:
        for (_, target), verdict in verdicts.items():
            if not isinstance(verdict, int) and verdict[0] == UNMATCHED:
                yield target, verdict[1].get("path") or ""

    return dict(seen())


def name(verdict: Verdict) -> str:
    return "" if isinstance(verdict, int) else str(verdict[0])
