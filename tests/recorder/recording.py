"""Makes the calls of a scene, each scene in a service of its own over scripted services, and writes down what came."""

import asyncio
import json
import logging
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from retrieval import compose
from retrieval.call.ports import now
from retrieval.compose.rooms import gather
from retrieval.local.host import host_over
from retrieval.local.server import serving
from retrieval.local.testing.composed import Composed
from retrieval.local.wire import WireRequest, WireResponse, WireService
from retrieval.telemetry.readiness import Readiness
from tests.scenarios.failures.jumping_loop import JumpingLoop
from tests.scripted_azure import ScriptedAzure, document, found
from tests.scripted_chat import ScriptedChat, not_streaming
from tests.scripted_mcp import ScriptedMcp
from tests.scripted_model_studio import ScriptedModelStudio

START: Final = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
KEY: Final = "caller-key-8c1f"
ADMIN: Final = "admin-key-77aa"
SECONDS: Final = 0.125
"""How long a scripted service takes at least, but for a search."""

MASKED: Final = re.compile(
    r"(?P<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
    r"|(?P<etag>0x[0-9A-F]{16})"
    r"|(?P<fence>(?<=chunk-)[0-9a-f]{32})"
    r"|(?P<signature>(?<=Signature=)[0-9a-f]{64}|(?<=nonce: )[0-9a-f]{32})"
    r"|(?P<message>(?<=\"jsonrpc\":\"2.0\",\"id\":)\d+(?=,\"method\"))"
    r"|(?P<trace>(?<=traceparent: )\S+)"
    r"|(?P<signing_time>(?<=x-acs-date: )\S+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, under the name of its file."""

    name: str
    target: str
    body: object = b""
    method: str = "POST"
    key: str | None = ADMIN
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Calls of one service, in order. `search`, `index` and `chat` are the scripts of Azure, `reply` is the text of the
    chat server. `<services>` in a setting or a body is the address of all that the functions call."""

    name: str
    calls: tuple[Call, ...]
    search: WireService = field(default_factory=lambda: found(document("road", 3.1), document("river", 2.9)))
    index: WireService | None = None
    chat: WireService | None = None
    reply: str | Callable[[Mapping[str, object]], str] = ""
    settings: Mapping[str, str] = field(default_factory=dict)


def recorded(scenes: Iterable[Scene]) -> Iterator[tuple[str, str]]:
    """The name of each call, and what came of it. The clock stands while a thread works, such as one that loads
    modules."""
    for scene in scenes:
        with asyncio.Runner(loop_factory=partial(JumpingLoop, thread_seconds=inf)) as runner:
            yield from runner.run(_play(scene))


async def _play(scene: Scene) -> list[tuple[str, str]]:
    asked: list[str] = []
    async with serving(_overheard(_behind(scene), asked)) as address:
        with _logged() as log, TemporaryDirectory() as folder:
            names = {address: "<services>", address.removeprefix("http://"): "<host>", folder: "<folder>"}
            async with _deployed(_settings(scene, address, Path(folder))) as service:
                return [
                    (f"{scene.name}/{call.name}.txt", _masked(await _told(service, call, address, asked, log), names))
                    for call in scene.calls
                ]


def _behind(scene: Scene) -> WireService:
    """The services that the functions call, at one address, which take their time on the scripted clock."""
    azure = ScriptedAzure(search=scene.search, index=scene.index, chat=scene.chat)
    chat, mcp, studio = ScriptedChat(scene.reply, not_streaming), ScriptedMcp(), ScriptedModelStudio()
    azure.search, azure.chat = _paced(azure.search), _paced(azure.chat, SECONDS)
    services = {"/v1": _paced(chat, SECONDS), "/mcp": _paced(mcp, SECONDS), "/llm-s": _paced(studio, SECONDS)}

    async def answer(request: WireRequest) -> WireResponse:
        return await next((services[path] for path in services if request.target.startswith(path)), azure)(request)

    return answer


def _paced(service: WireService, seconds: float = 0) -> WireService:
    """The service, which takes so long on the scripted clock, and by the text of the request up to a sixteenth of a
    second more, so that no two end at once."""

    async def answer(request: WireRequest) -> WireResponse:
        text = MASKED.sub("", request.body.decode(errors="replace"))
        await asyncio.sleep(seconds + (1 + zlib.crc32(text.encode()) % 1009) / 2**14)
        return await service(request)

    return answer


def _overheard(service: WireService, asked: list[str]) -> WireService:
    async def answer(request: WireRequest) -> WireResponse:
        lines = sorted(f"{header}: {value}" for header, value in request.headers)
        head = "\n".join([f"{request.method} {request.target}", *lines])
        asked.append(f"{head}\n\n{request.body.decode(errors='backslashreplace')}")
        return await service(request)

    return answer


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(f"{record.levelname} {record.getMessage()}")


@contextmanager
def _logged() -> Iterator[list[str]]:
    """The lines of the service's log as they come, without the names of modules."""
    lines: list[str] = []
    handler, logger = _Lines(lines), logging.getLogger("retrieval")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _settings(scene: Scene, address: str, folder: Path) -> dict[str, str]:
    """The environment: agents with a model, without one, and over an index and a base of Model Studio."""
    file = folder / "agents.json"
    model = {"resourceUri": address, "deploymentId": "planner-model", "apiKey": "model-key"}
    atlas, base = ({"indexName": name, "defaultRerankerThreshold": 1.0} for name in ("atlas", "harbour-base"))
    planner = {"models": [{"kind": "azureOpenAI", "azureOpenAIParameters": model}], "targetIndexes": [atlas]}
    both = {"name": "both", "targetIndexes": [atlas, base]}
    agents = [{"name": "planner", **planner}, {"name": "plain", "targetIndexes": [atlas]}, both]
    file.write_text(json.dumps(agents), encoding="utf-8")
    studio = {"workspace": "llm-s", "index": "index-1", "endpoint": address, "calibration": [[0.2, 1]]}
    usual = {
        "AZURE_SEARCH_ENDPOINT": address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(file),
        "AGENTS_STORE": "memory",
        "API_KEYS": KEY,
        "ADMIN_API_KEYS": ADMIN,
        "LOG_CONTENT": "1",
        "MODEL_STUDIO_ACCESS_KEY_ID": "an-id",
        "MODEL_STUDIO_ACCESS_KEY_SECRET": "a-secret",
        "MODEL_STUDIO_BASES": json.dumps({"harbour-base": {**studio, "fields": {}}}),
        "MCP_HOSTS": "127.0.0.1",
        "WORKSPACES": json.dumps({"llm-x": {"kb": {"agent": "planner", "index": "atlas", "fields": {}}}}),
    }
    more = {name: value.replace("<services>", address) for name, value in scene.settings.items()}
    return {name: value for name, value in {**usual, **more}.items() if value}


@asynccontextmanager
async def _deployed(environ: Mapping[str, str]) -> AsyncIterator[WireService]:
    """The functions behind the local host, on the scripted clock."""
    settings, problems = gather(environ)
    assert problems == (), problems
    service = compose.compose_service(settings)
    service = replace(service, process=replace(service.process, clock=lambda: START + timedelta(seconds=now())))
    ready = Readiness(lambda: service.process.probes, ticks=now)
    service.process.begin()
    await _quiet()
    try:
        yield host_over(Composed(settings=settings, composed=service, ready=ready))
    finally:
        await service.process.close()


async def _quiet() -> None:
    """Return when nothing moves any more: only then the clock jumps."""
    await asyncio.sleep(SECONDS)


async def _told(service: WireService, call: Call, address: str, asked: list[str], log: list[str]) -> str:
    """The answer of a call, what it asked of other services, in the order of its text, and the log."""
    body = call.body if isinstance(call.body, bytes) else json.dumps(call.body).replace("<services>", address).encode()
    usual = {"content-type": "application/json", "content-length": str(len(body))}
    if call.key is not None:
        usual["api-key"] = call.key
    headers = tuple({**usual, **call.headers}.items())
    answer = await service(WireRequest(method=call.method, target=call.target, headers=headers, body=body))
    lines = [
        f"{call.method} {call.target}",
        f"{answer.status}",
        *(f"{name}: {value}" for name, value in answer.headers),
    ]
    parts = ["\n".join(lines), answer.body.decode(errors="backslashreplace")]
    parts += [*sorted(asked, key=lambda text: MASKED.sub("", text)), "\n".join(log)]
    asked.clear()
    log.clear()
    return "\n\n".join(parts) + "\n"


def _masked(text: str, names: Mapping[str, str]) -> str:
    """The text with placeholders, numbered in their order, for what is another in each run."""
    for address, name in names.items():
        text = text.replace(address, name)
    known: dict[str, str] = {}

    def placeholder(found: re.Match[str]) -> str:
        return known.setdefault(found[0].lower(), f"<{found.lastgroup}-{len(known) + 1}>")

    return MASKED.sub(placeholder, text)
