"""Opens the local services for a test, in this process, and closes them with the block.

The environment is not read: what a service is, its options say. So a test is the same on each machine, and any number
of services stand side by side, each on a free port of its own.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from retrieval.errors import NotConfigured
from retrieval.local.testing.running import JsonObject, Refused, RunningRetrieval, RunningSearch
from retrieval.local.wire import WireService

if TYPE_CHECKING:
    from retrieval.local.application import Accepts

IN_PROCESS: Final = "https://in-process.invalid"
SAMPLE: Final = "earth-at-night"
BATCH: Final = 1_000
DOCUMENTS: Final = "documents"

_SEARCHED: Final = {"synonymMaps": "2026-10-01", "indexes": "2026-10-01", DOCUMENTS: "2026-10-01"}
_PARTS: Final = {
    **_SEARCHED,
    "knowledgeSources": "2026-08-01-preview",
    "knowledgeBases": "2026-08-01-preview",
    "agents": "2025-05-01-preview",
}
"""The parts of definitions in the order in which they are made, with the api-version of their form."""


class CannotStart(Exception):
    """A service that cannot be opened; the sentences say what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a service has and how it is reached.

    `load` names files or folders of documents: each becomes an index and a base of its name; `language` is theirs.
    `definitions` are `indexes`, `documents` (by index), `synonymMaps`, `knowledgeSources`, `knowledgeBases` and
    `agents`, or the JSON file of them. `key` asks, `admin_key` makes and changes. `settings` are those of the
    deployment, for the retrieval service alone. With `in_process` there is no socket.
    """

    load: Mapping[str, str | Path] = field(default_factory=dict)
    definitions: JsonObject | str | Path = field(default_factory=dict)
    language: str = "en"
    key: str = field(default="local-dev-key", repr=False)
    admin_key: str = field(default="local-admin-key", repr=False)
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    in_process: bool = False


@contextmanager
def search_service(options: Options | None = None) -> Iterator[RunningSearch]:
    """A search service with what is loaded, and the `indexes`, `documents` and `synonymMaps` of the definitions.

    Raises CannotStart.
    """
    options = options or Options()
    loads, parts = _checked(options)
    from retrieval.local.known_hosts import known_hosts
    from retrieval.local.search_command import Keys, open_search

    keys = Keys(admin=[options.admin_key], query=[options.key])
    with ExitStack() as held, _start_faults():
        search = held.enter_context(open_search(None, loads, keys, language=options.language))
        reached = held.enter_context(_reached(known_hosts(search, named=()), search.accepts, options))
        running = RunningSearch(**reached)
        _make(running, {name: part for name, part in parts.items() if name in _SEARCHED})
        yield running


@contextmanager
def retrieval_service(options: Options | None = None) -> Iterator[RunningRetrieval]:
    """The whole service over a search service of its own, with the sample base, what is loaded, and the definitions.

    Its `base` is the first that was loaded, else the first of the definitions, else the sample. Raises CannotStart.
    """
    options = options or Options()
    loads, parts = _checked(options)
    from retrieval.local.testing.composed import composed

    with ExitStack() as held, _start_faults():
        service, app = held.enter_context(composed(_settings(options, loads)))
        reached = held.enter_context(_reached(service, app.accepts, options))
        running = RunningRetrieval(**reached, base=_first_base(loads, parts))
        _make(running, parts)
        yield running


def _checked(options: Options) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """The absolute paths of what is loaded, by name, and the parts of the definitions. Raises CannotStart."""
    from retrieval.compose.search import LOCAL_PACKAGES

    if missing := [name for name in (*LOCAL_PACKAGES, "uvicorn") if find_spec(name) is None]:
        raise CannotStart(
            f"The local services need packages ({', '.join(missing)}) that the extra `local` has: install "
            '"agentic-retrieval-functions[local] @ …" from where agentic-retrieval-functions came.'
        )
    loads = {name: Path(path).resolve() for name, path in options.load.items()}
    for name, path in loads.items():
        if not path.exists():
            raise CannotStart(f"load: {name!r}: there is no file or folder {path}.")
    return {name: str(path) for name, path in loads.items()}, _parts(options.definitions)


def _parts(definitions: JsonObject | str | Path) -> Mapping[str, Any]:
    """The parts of definitions, in the order in which they are made. Raises CannotStart."""
    parts: Any = definitions
    if isinstance(definitions, str | Path):
        try:
            parts = json.loads(Path(definitions).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CannotStart(f"definitions: {definitions} cannot be read: {error}") from None
    if isinstance(parts, list):
        parts = {"agents": parts}
    if not isinstance(parts, Mapping) or (unknown := sorted(set(parts).difference(_PARTS))):
        what = f"{unknown[0]!r} is none of" if isinstance(parts, Mapping) else "they are no object with"
        raise CannotStart(f"definitions: {what} {', '.join(_PARTS)}.")
    return {name: parts[name] for name in _PARTS if name in parts}


def _first_base(loads: Mapping[str, str], parts: Mapping[str, Any]) -> str:
    defined = (body["name"] for part in ("knowledgeBases", "agents") for body in parts.get(part, ()))
    return next(iter((*loads, *defined)), SAMPLE)


def _settings(options: Options, loads: Mapping[str, str]) -> Mapping[str, str]:
    """The settings of the service, as the environment of a deployment would have them."""
    return {
        "LOCAL": "1",
        "API_KEYS": options.key,
        "ADMIN_API_KEYS": options.admin_key,
        "LOCAL_CORPORA": json.dumps(loads) if loads else "",
        "LOCAL_LANGUAGE": options.language,
        **options.settings,
    }


@contextmanager
def _start_faults() -> Iterator[None]:
    """A fault of a start is CannotStart; a fault of the test passes."""
    try:
        yield
    except NotConfigured as error:
        raise CannotStart("\n".join(error.sentences)) from error


@contextmanager
def _reached(service: WireService, accepts: "Accepts", options: Options) -> Iterator[dict[str, Any]]:
    """The members of what the test holds; with a socket the service answers until the block ends."""
    from retrieval.local.server import serving
    from retrieval.local.transport import wait

    keys = {"key": options.key, "admin_key": options.admin_key}
    if options.in_process:
        yield {**keys, "address": IN_PROCESS, "service": service}
        return
    stack = AsyncExitStack()
    address = wait(stack.enter_async_context(serving(service, accepts=accepts)))
    try:
        yield {**keys, "address": address}
    finally:
        wait(stack.aclose())


def _make(running: RunningSearch, parts: Mapping[str, Any]) -> None:
    """Make the definitions by the calls that a client would make. Raises CannotStart for a definition that is
    refused."""
    for part, bodies in parts.items():
        try:
            if part == DOCUMENTS:
                _load_documents(running, bodies)
                continue
            for body in bodies:
                path = f"/{part.lower()}('{quote(body['name'])}')"
                running.call("PUT", path, body, version=_PARTS[part])
        except (Refused, KeyError, TypeError, AttributeError) as error:
            raise CannotStart(f"definitions: {part}: {_why(error)}") from error


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, Refused) else "an array of objects with a name (documents: by index)"


def _load_documents(running: RunningSearch, documents: Mapping[str, Sequence[JsonObject]]) -> None:
    for index, rows in documents.items():
        for start in range(0, len(rows), BATCH):
            actions = [{"@search.action": "upload", **row} for row in rows[start : start + BATCH]]
            path = f"/indexes('{quote(index)}')/docs/index"
            results = running.call("POST", path, {"value": actions}, version=_PARTS[DOCUMENTS])["value"]
            for result in results:
                if not result["status"]:
                    raise Refused(f"{index}, {result['key']}", result["statusCode"], "", result["errorMessage"])
