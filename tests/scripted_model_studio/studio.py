"""The service, a record of what it was asked, and its usual answers. Shapes: Retrieve, 2023-12-29."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.scripted_azure import answering

REQUEST_ID: Final = "17204B98-7734-4F9A-8464-2446A84821CA"

Chunk: TypeAlias = dict[str, object]

_ROUTE: Final = re.compile(r"/([^/]+)/index/retrieve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that came in. `parameters` are those of the query string; arrays and objects are JSON texts there."""

    workspace: str
    parameters: Mapping[str, str]
    request: WireRequest

    def json(self, name: str) -> Any:
        """A parameter that holds JSON."""
        return json.loads(self.parameters[name])


class ScriptedModelStudio:
    """Every base of every workspace answers by one script. What is not Retrieve is a 404, and `lost` holds it."""

    def __init__(self, script: WireService | None = None) -> None:
        self.script = script or chunks()
        self.address = ""
        self.calls: list[Asked] = []
        self.lost: list[WireRequest] = []
        self._open: set[asyncio.Task[object]] = set()

    async def __call__(self, request: WireRequest) -> WireResponse:
        asked = _asked(request)
        if asked is None:
            self.lost.append(request)
            return WireResponse(status=404)
        self.calls.append(asked)
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            return await self.script(request)
        finally:
            self._open.discard(task)

    @property
    def queries(self) -> list[str]:
        """The texts that were searched."""
        return [asked.parameters["Query"] for asked in self.calls]

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Be at `address`, a free port of this machine. At the end, calls that are still held are cut."""
        async with serving(self) as self.address:
            try:
                yield
            finally:
                for task in self._open:
                    task.cancel()


def _asked(request: WireRequest) -> Asked | None:
    address = urlsplit(request.target)
    found = _ROUTE.fullmatch(unquote(address.path))
    if found is None or request.method != "POST" or request.header("x-acs-action") != "Retrieve":
        return None
    pairs = parse_qsl(address.query, keep_blank_values=True, strict_parsing=True)
    assert len(dict(pairs)) == len(pairs)
    return Asked(workspace=found[1], parameters=dict(pairs), request=request)


def chunk(key: object, score: object, *, text: str | None = None, **metadata: object) -> Chunk:
    """A chunk as a base of documents returns it; `metadata` adds to what every chunk has."""
    usual = {
        "_id": key,
        "_score": score,
        "_rc_score": 0,
        "doc_id": f"doc_{key}",
        "doc_name": f"Name of {key}",
        "title": f"Title of {key}",
        "file_path": "https://files.example/expires",
        "is_displayed_chunk_content": "true",
        "workspace_id": "llm-scripted",
        "pipeline_id": "index-1",
    }
    return {
        "Text": f"What {key} tells." if text is None else text,
        "Score": score,
        "Metadata": {name: value for name, value in {**usual, **metadata}.items() if value is not ...},
    }


def chunks(*found: object) -> WireService:
    """A success with these nodes."""
    return enveloped(Data={"Nodes": found})


def enveloped(*, http: int = 200, retry_after: object = None, **members: object) -> WireService:
    """The envelope of a success, but for what `members` say; None leaves a member out. `retry_after`: milliseconds."""
    usual = {"Code": "Success", "Message": "success", "RequestId": REQUEST_ID, "Status": "200", "Success": True}
    body = {name: value for name, value in {**usual, **members}.items() if value is not None}
    headers = {} if retry_after is None else {"x_acs_retry_after": str(retry_after)}
    return answering(body, status=http, content_type="application/json", **headers)


def refusing(
    code: str, *, http: int = 200, status: str = "", message: str = "It does not work.", retry_after: object = None
) -> WireService:
    """`Success: false` with that code, by an HTTP status or within a 200."""
    return enveloped(
        http=http, retry_after=retry_after, Code=code, Message=message, Status=status or str(http), Success=False
    )


def by_query(scripts: Mapping[str, WireService], *, otherwise: WireService) -> WireService:
    """A script for each `Query`, and one for all others."""

    async def answer(request: WireRequest) -> WireResponse:
        query = dict(parse_qsl(urlsplit(request.target).query)).get("Query", "")
        return await scripts.get(query, otherwise)(request)

    return answer
