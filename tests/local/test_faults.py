"""Scripted faults, as the real SDK meets them."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import AzureError, HttpResponseError, ServiceResponseError
from azure.search.documents import SearchClient
from azure.search.documents.aio import SearchClient as AsyncSearchClient
from azure.search.documents.indexes import SearchIndexClient

from retrieval.local.faults import Fault, Faults, cut, delayed, throttled, too_large, unavailable, without_ranker
from retrieval.local.search_service import SearchService
from retrieval.local.server import serving
from retrieval.local.transport import connect, connect_async
from tests.local.search_service.conftest import BOATS, FLEET


@pytest.fixture
def service() -> SearchService:
    service = SearchService()
    SearchIndexClient(**connect(service)).create_index(BOATS)
    SearchClient(index_name="boats", **connect(service)).upload_documents(FLEET)
    return service


def client(service: SearchService, script: Sequence[Fault | None], **options: Any) -> SearchClient:
    return SearchClient(index_name="boats", **connect(Faults(service, script)), retry_backoff_factor=0, **options)


@contextmanager
def refused(status: int) -> Iterator[None]:
    with pytest.raises(HttpResponseError) as raised:
        yield
    assert raised.value.status_code == status


@pytest.mark.parametrize("fault", [throttled(retry_after=0), unavailable(retry_after=0), unavailable(), cut()])
def test_the_sdk_tries_again(service: SearchService, fault: Fault) -> None:
    assert client(service, [fault, fault]).get_document_count() == 4


def test_without_retries_a_fault_is_an_error(service: SearchService) -> None:
    failing = client(service, [throttled(), unavailable(), too_large(), cut()], retry_total=0)
    for status in (429, 503, 413):
        with refused(status):
            failing.get_document_count()
    with pytest.raises(ServiceResponseError):
        failing.get_document_count()
    assert failing.get_document_count() == 4


def test_a_script_says_when_all_is_well(service: SearchService) -> None:
    failing = client(service, [None, unavailable(), None], retry_total=0)
    assert failing.get_document_count() == 4
    with refused(503):
        failing.get_document_count()
    assert failing.get_document_count() == 4


def test_a_script_is_for_the_requests_that_it_names(service: SearchService) -> None:
    faults = Faults(service, [unavailable()], when=lambda request: "search.post.search" in request.target)
    boats = SearchClient(index_name="boats", **connect(faults), retry_total=0)
    assert boats.get_document_count() == 4
    with refused(503):
        list(boats.search("wood"))


async def test_a_delay_ends_when_the_test_says(service: SearchService) -> None:
    held, release = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        held.set()
        await release.wait()

    faults = Faults(service, [delayed(hold()), delayed(0)])
    async with AsyncSearchClient(index_name="boats", **connect_async(faults)) as boats:
        waiting = asyncio.ensure_future(boats.get_document_count())
        await held.wait()
        assert await boats.get_document_count() == await boats.get_document_count() == 4
        assert not waiting.done()
        release.set()
        assert await waiting == 4


async def test_a_connection_is_cut_over_loopback_too(service: SearchService) -> None:
    # Twice: aiohttp repeats a GET by itself once.
    async with (
        serving(Faults(service, [cut(), cut()])) as address,
        AsyncSearchClient(address, "boats", AzureKeyCredential("local-dev-key"), retry_total=0) as boats,
    ):
        with pytest.raises(AzureError):
            await boats.get_document_count()
        assert await boats.get_document_count() == 4


def test_a_ranker_that_is_away_leaves_the_text_order(service: SearchService) -> None:
    seen: list[tuple[int, Any]] = []

    def look(response: Any) -> None:
        seen.append((response.http_response.status_code, response.http_response.json()))

    failing = client(service, [without_ranker("capacityOverloaded")])
    found = list(failing.search("wood", query_type="semantic", raw_response_hook=look))
    assert [one["id"] for one in found] == [one["id"] for one in failing.search("wood")]
    assert all(one["@search.reranker_score"] is None for one in found)
    assert seen[0][0] == 206
    assert seen[0][1]["@search.semanticPartialResponseReason"] == "capacityOverloaded"


def test_a_ranker_that_is_away_fails_who_wants_that(service: SearchService) -> None:
    failing = client(service, [without_ranker()], retry_total=0)
    with refused(503):
        list(failing.search("wood", query_type="semantic", semantic_error_mode="fail"))


def test_a_reason_that_there_is_not_is_refused(service: SearchService) -> None:
    with refused(400):
        list(client(service, []).search("wood", headers={"x-local-search-ranker-away": "asleep"}))
