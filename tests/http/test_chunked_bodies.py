"""Bodies in chunks, without their length: they are read where they arrive, and reported where they do not."""

import json
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any, Final

import httpx
import pytest

from retrieval.local.host import Host
from retrieval.local.server import serving
from tests.conftest import KEY, Post, ask
from tests.rooms import MCP, MODEL_STUDIO, NEEDS_MODEL_STUDIO, cases, has_room

VERSION: Final = "api-version=2025-05-01-preview"
ADMIN: Final = "local-admin-key"
AGENT: Final = {"name": "in-chunks", "models": [], "targetIndexes": [{"indexName": "earth_at_night"}]}
LIST: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
STUDIO: Final = "/llm-local/index/retrieve"

CALLS: Final[dict[str, tuple[str, str, object, str]]] = {
    "retrieve": ("POST", f"/agents('earth-at-night')/retrieve?{VERSION}", ask("gas flares"), KEY),
    "answer": ("POST", "/agents/earth-at-night/answer", ask("gas flares"), KEY),
    "tools": ("POST", "/agents/earth-at-night/mcp", LIST, KEY),
    "model studio": ("POST", STUDIO, {"IndexId": "earth-at-night", "Query": "gas flares"}, KEY),
    "create an agent": ("POST", f"/agents?{VERSION}", AGENT, ADMIN),
    "put an agent": ("PUT", f"/agents('in-chunks')?{VERSION}", AGENT, ADMIN),
}
"""Method, target, body and key of a call of every route that takes a body."""

NEEDING: Final = {"tools": MCP, "model studio": MODEL_STUDIO}


async def chunks(body: object) -> AsyncIterator[bytes]:
    content = json.dumps(body).encode()
    for start in range(0, len(content), 20):
        yield content[start : start + 20]


def sentence(body: Any) -> str:
    """What an error says, in the envelope of Azure, of MCP (which has Azure's facts as data) or of Model Studio."""
    return str(body["Message"] if "Message" in body else body["error"]["message"])


async def test_what_arrives_in_chunks_is_served_on_every_route(host: Host) -> None:
    async with serving(host) as address, httpx.AsyncClient(base_url=address) as client:
        for what, (method, target, body, key) in CALLS.items():
            if what in NEEDING and not has_room(NEEDING[what]):
                continue
            headers = {"api-key": key, "content-type": "application/json", "accept": "application/json"}
            answer = await client.request(method, target, content=chunks(body), headers=headers)
            assert answer.request.headers["transfer-encoding"] == "chunked"
            assert answer.status_code in {200, 201, 204}, (what, answer.text)
        gone = await client.delete(f"/agents('in-chunks')?{VERSION}", headers={"api-key": ADMIN})
    assert gone.status_code == 204


@pytest.mark.parametrize("what", cases(CALLS, NEEDING))
async def test_what_was_sent_in_chunks_and_did_not_arrive_is_a_400_that_says_so(what: str, post: Post) -> None:
    """As `func start` hands it over."""
    method, target, _, key = CALLS[what]
    headers = {"transfer-encoding": "chunked", "accept": "application/json"}
    answer = await post(b"", target, method=method, key=key, headers={**headers, "content-length": ""})
    assert answer.status == 400
    assert "sent in chunks" in sentence(answer.json) and "send Content-Length" in sentence(answer.json)
    assert ("jsonrpc" in answer.json, "RequestId" in answer.json) == (what == "tools", what == "model studio")


@NEEDS_MODEL_STUDIO
async def test_parameters_in_the_query_count_where_a_body_in_chunks_was_empty(post: Post) -> None:
    """As Alibaba's SDK for Java sends them; a hash of something else says that a body was lost."""
    target = f"{STUDIO}?IndexId=earth-at-night&Query=gas+flares"
    headers = {"transfer-encoding": "chunked", "content-length": ""}
    nothing, something = (sha256(body).hexdigest() for body in (b"", b"{}"))
    for stated in ({}, {"x-acs-content-sha256": nothing}):
        answer = await post(b"", target, headers={**headers, **stated})
        assert answer.status == 200 and answer.json["Data"]["Nodes"], answer.body
    lost = await post(b"", target, headers={**headers, "x-acs-content-sha256": something})
    assert lost.status == 400 and "sent in chunks" in sentence(lost.json)


async def test_an_empty_body_with_its_length_is_not_said_to_be_lost(post: Post) -> None:
    answer = await post(b"", f"/agents('earth-at-night')/retrieve?{VERSION}")
    assert answer.status == 400
    assert "chunks" not in sentence(answer.json)
