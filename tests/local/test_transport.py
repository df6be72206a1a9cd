"""The in-process transports: what azure-core does over HTTP, it does here."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from azure.core import AsyncPipelineClient, PipelineClient
from azure.core.exceptions import DecodeError, HttpResponseError, ResourceNotFoundError, ServiceResponseError
from azure.core.pipeline.policies import AsyncRetryPolicy, ContentDecodePolicy, RetryPolicy
from azure.core.rest import AsyncHttpResponse, HttpRequest, HttpResponse
from azure.search.documents import SearchClient
from azure.search.documents.aio import SearchClient as AsyncSearchClient

from retrieval.local.transport import (
    AsyncInProcessTransport,
    InProcessTransport,
    connect,
    connect_async,
)
from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse, WireService

JSON = ("content-type", "application/json")
PAGE = json.dumps({"value": [{"@search.score": 1.0, "id": "1"}]}).encode()


def scripted(*answers: WireResponse | Exception) -> tuple[WireService, list[WireRequest]]:
    """A service that gives `answers` in turn, the last one for ever, and the list of what it was asked."""
    asked: list[WireRequest] = []

    async def service(request: WireRequest) -> WireResponse:
        asked.append(request)
        await asyncio.sleep(0)
        answer = answers[min(len(asked), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return service, asked


def ok(status: int = 200, body: bytes = PAGE) -> WireResponse:
    return WireResponse(status=status, headers=(JSON,), body=body)


def error(status: int, *headers: tuple[str, str]) -> WireResponse:
    body = json.dumps({"error": {"code": "Why", "message": "because"}}).encode()
    return WireResponse(status=status, headers=(JSON, *headers), body=body)


def search(service: WireService, **options: Any) -> list[str]:
    client = SearchClient(index_name="a", **connect(service), **options)
    return [hit["id"] for hit in client.search("x", top=1)]


async def search_async(service: WireService, **options: Any) -> list[str]:
    async with AsyncSearchClient(index_name="a", **connect_async(service), **options) as client:
        return [hit["id"] async for hit in await client.search("x", top=1)]


def test_the_request_arrives_as_it_would_over_http() -> None:
    service, asked = scripted(ok())
    assert search(service) == ["1"]
    assert asked[0].method == "POST"
    assert asked[0].target == "/indexes('a')/docs/search.post.search?api-version=2026-04-01"
    assert asked[0].header("api-key") == "local-dev-key"
    assert str(asked[0].header("user-agent")).startswith("azsdk-python-search-documents/12")
    assert json.loads(asked[0].body) == {"search": "x", "top": 1}


@pytest.mark.parametrize("status", [200, 206])
async def test_a_page_is_read_by_both_clients(status: int) -> None:
    service, _ = scripted(ok(status))
    assert search(service) == ["1"]
    assert await search_async(service) == ["1"]


async def test_throttling_is_retried_and_the_last_answer_counts() -> None:
    for count in (1, 3):
        service, asked = scripted(*[error(503, ("retry-after-ms", "1"))] * count, ok())
        assert search(service) == ["1"]
        assert len(asked) == count + 1
    service, asked = scripted(error(429, ("retry-after", "0.001")), ok())
    assert await search_async(service) == ["1"]
    assert len(asked) == 2


async def test_errors_become_the_sdks_exceptions_with_their_code() -> None:
    service, _ = scripted(error(403))
    with pytest.raises(HttpResponseError) as raised:
        search(service)
    assert raised.value.error is not None
    assert (raised.value.status_code, raised.value.error.code) == (403, "Why")
    assert raised.value.reason == "Forbidden"
    with pytest.raises(ResourceNotFoundError):
        await search_async(scripted(error(404))[0])
    with pytest.raises(DecodeError):
        search(scripted(ok(body=b"<html>"))[0])


async def test_a_connection_that_is_cut_is_a_service_response_error() -> None:
    service, asked = scripted(ConnectionCut("snip"))
    with pytest.raises(ServiceResponseError, match="snip"):
        search(service)
    with pytest.raises(ServiceResponseError, match="before an answer"):
        await search_async(scripted(ConnectionCut())[0])
    assert len(asked) == 1, "a POST that may have been carried out is not repeated"


async def test_the_raw_response_hook_sees_status_headers_and_body() -> None:
    service, _ = scripted(WireResponse(status=206, headers=(JSON, ("X-Why", "a")), body=PAGE))
    seen: list[tuple[int, str, bytes]] = []

    def hook(response: Any) -> None:
        answer = response.http_response
        seen.append((answer.status_code, answer.headers["x-why"], answer.content))

    list(SearchClient(index_name="a", **connect(service)).search("x", top=1, raw_response_hook=hook))
    client = AsyncSearchClient(index_name="a", **connect_async(service))
    async for _ in await client.search("x", top=1, raw_response_hook=hook):
        pass
    assert seen == [(206, "a", PAGE)] * 2


@pytest.mark.parametrize("stream", [False, True])
async def test_send_request_gives_the_raw_answer(stream: bool) -> None:
    service, _ = scripted(WireResponse(status=200, headers=(("content-type", "text/plain"),), body=b"\xef\xbb\xbf4"))
    request = HttpRequest("GET", "https://local-search.invalid/indexes('a')/docs/$count")
    answer = SearchClient(index_name="a", **connect(service)).send_request(request, stream=stream)
    assert (answer.status_code, answer.reason, answer.content_type) == (200, "OK", "text/plain")
    assert (answer.text(), answer.text("utf-8"), answer.read()) == ("4", "\ufeff4", b"\xef\xbb\xbf4")
    async with AsyncSearchClient(index_name="a", **connect_async(service)) as client:
        other = await client.send_request(request, stream=stream)
        assert [part async for part in other.iter_bytes()] == [await other.read()]


def test_a_sync_client_works_inside_a_running_loop() -> None:
    service, _ = scripted(ok())

    async def inside() -> list[str]:
        return search(service)

    assert asyncio.run(inside()) == ["1"]


def test_a_service_may_call_another_one_through_the_sync_transport() -> None:
    inner, _ = scripted(ok())

    async def outer(request: WireRequest) -> WireResponse:
        return ok(body=json.dumps({"value": [{"id": key} for key in search(inner)]}).encode())

    assert search(outer) == ["1"]


def test_what_belongs_to_a_loop_lives_through_all_calls() -> None:
    loops: set[asyncio.AbstractEventLoop] = set()

    async def service(request: WireRequest) -> WireResponse:
        loops.add(asyncio.get_running_loop())
        return ok()

    for _ in range(3):
        search(service)
    assert len(loops) == 1


async def test_async_calls_overlap() -> None:
    both = asyncio.Barrier(2)

    async def service(request: WireRequest) -> WireResponse:
        await both.wait()
        return ok()

    async with asyncio.timeout(5):
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(search_async(service)) for _ in range(2)]
    assert [call.result() for call in calls] == [["1"], ["1"]]


async def parts() -> AsyncIterator[bytes]:
    for part in (b"a", b"b"):
        yield part


@pytest.mark.parametrize(
    ("content", "sent"),
    [(None, b""), ("ab", b"ab"), (b"ab", b"ab"), ([b"a", b"b"], b"ab"), (parts, b"ab")],
    ids=["none", "text", "bytes", "list", "stream"],
)
async def test_every_kind_of_body_is_read(content: Any, sent: bytes) -> None:
    service, asked = scripted(ok())
    made: Any = content() if isinstance(content, Callable) else content  # type: ignore[arg-type]
    await AsyncInProcessTransport(service).send(HttpRequest("POST", "https://x.invalid", content=made))
    if content is not parts:
        InProcessTransport(service).send(HttpRequest("POST", "https://x.invalid/", content=content))
    assert {(request.target, request.body) for request in asked} == {("/", sent)}


async def test_a_plain_azure_core_pipeline_reads_json_and_raises_for_status() -> None:
    request = HttpRequest("GET", "https://x.invalid/a?b=c")
    sync_client: PipelineClient[HttpRequest, HttpResponse] = PipelineClient(
        "https://x.invalid",
        transport=InProcessTransport(scripted(error(418))[0]),
        policies=[RetryPolicy(), ContentDecodePolicy()],
    )
    with sync_client, pytest.raises(HttpResponseError):
        sync_client.send_request(request).raise_for_status()
    async_client: AsyncPipelineClient[HttpRequest, AsyncHttpResponse] = AsyncPipelineClient(
        "https://x.invalid",
        transport=AsyncInProcessTransport(scripted(ok())[0]),
        policies=[AsyncRetryPolicy(), ContentDecodePolicy()],
    )
    async with async_client, await async_client.send_request(request) as answer:
        answer.raise_for_status()
        assert answer.json() == json.loads(PAGE)
    assert answer.is_closed
    assert answer.url == "https://x.invalid/a?b=c"
