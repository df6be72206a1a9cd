"""Searches Azure AI Search indexes. Each sub-query is one query, which the SDK's client sends as plain JSON.

`SearchClient.send_request` is used instead of `SearchClient.search`. Authentication, retries and request ids are the
same. The answer stays plain JSON, which takes an eighth of the CPU time. Reference: Documents - Search Post.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Final, TypeAlias
from urllib.parse import quote

from azure.core.exceptions import AzureError, ClientAuthenticationError
from azure.core.rest import HttpRequest
from azure.search.documents.aio import SearchClient

from retrieval import telemetry, threads
from retrieval.backends.azure_search import facets
from retrieval.backends.azure_search.body import SERVICE, body, needs_preview
from retrieval.backends.azure_search.client import Credential, client
from retrieval.backends.azure_search.facets import FacetCache
from retrieval.backends.azure_search.failures import failure, no_such_index
from retrieval.backends.azure_search.page import read_page
from retrieval.backends.bodies import ENCODINGS
from retrieval.backends.connections import Transport
from retrieval.errors import (
    BackendForbidden,
    BackendMisconfigured,
    BackendMissing,
    BackendUnavailable,
)
from retrieval.filters.schema import Schema
from retrieval.model.definitions import IndexFields
from retrieval.model.search import Facets, Page, Subquery

API_VERSION: Final = "2026-04-01"
PREVIEW_VERSION: Final = "2025-05-01-preview"
"""This version supports `hybridSearch` and document permissions, and shows the permission filters in an index
definition."""

LONGEST_COUNT: Final = 18
"""The most digits of a number of documents."""

READ_SECONDS: Final = 30

READING: Final = 2
"""Reading one byte of an index definition takes as long as reading so many bytes of a document."""

JSON: Final = {"Accept": "application/json;odata.metadata=none", "Accept-Encoding": ENCODINGS}
POSTED: Final = {**JSON, "Content-Type": "application/json"}

Place: TypeAlias = tuple[str, str | None]
"""An index, and one of its semantic configurations; None is its default configuration."""


class AzureSearchIndex:
    """Searches the indexes of one service.

    `fields` configures the roles of the fields of some indexes. For any other index, the roles are read once from the
    index definition.

    Tokens are requested for `audience`. Its default is the audience of the public cloud. `transport` makes the HTTP
    transport. `comparable` says whether the scores of two queries can be compared. The scores of the local ranker
    cannot be compared. `missing_error` makes the error for a missing index. A target may name its own semantic
    configuration. The field roles are then read from the index definition, unless roles are configured for the index.
    """

    def __init__(
        self,
        endpoint: str,
        credential: Credential,
        *,
        fields: Mapping[str, IndexFields],
        audience: str | None = None,
        transport: Callable[[], Transport] | None = None,
        comparable: bool = True,
        missing_error: Callable[[], BackendMissing] = no_such_index,
    ) -> None:
        self._endpoint = endpoint
        self._credential = credential
        self._audience = audience
        self._configured = dict(fields)
        self._comparable = comparable
        self._missing_error = missing_error
        self._fields: dict[Place, IndexFields] = {(index, None): roles for index, roles in fields.items()}
        self._over_the_network = transport is None
        self._transport = transport or _network
        self._urls: dict[str, str] = {}
        self._schemas: dict[str, Schema | None] = {}
        self._readings: dict[Place, asyncio.Task[IndexFields]] = {}
        self._facets = FacetCache(self._read_facets)

    async def search(self, subquery: Subquery) -> Page:
        """The best documents, at most 50, ranked semantically if the target asks for it. Raises BackendError, and
        UnsupportedFilter."""
        index = subquery.target.index
        fields = await self._index_fields((index, subquery.target.semantic_configuration))
        preview = subquery.user_token is not None or needs_preview(subquery.target, fields)
        request = self._search(index, body(subquery, fields), version=_version(preview=preview))
        content = await self._send(request, headers=_headers(subquery))
        page = await threads.work(len(content), partial(read_page, content, fields, subquery.target))
        return page if self._comparable else replace(page, comparable=False)

    async def exists(self, index: str) -> bool | None:
        """Whether the index exists; None if this service has no right to check. Raises BackendError."""
        try:
            await self._count(index)
        except BackendMissing:
            return False
        except BackendForbidden:
            return None
        return True

    async def documents(self, index: str) -> int | None:
        """The number of documents in an index; None if this service may not count them or the answer is not a number.
        Raises BackendMissing, BackendError."""
        try:
            return await self._count(index)
        except BackendForbidden:
            return None

    async def schema(self, index: str) -> Schema | None:
        """The fields of an index, which are remembered after the first successful read; None if this service has no
        right to read them. Raises BackendError.

        A refusal is remembered until the process ends. Reading a definition needs more rights than the role Search
        Index Data Reader gives.
        """
        await threads.once(_load_definitions)
        from retrieval.backends.azure_search.definition import read_schema

        if index not in self._schemas:
            try:
                content = await self._definition(index)
                self._schemas[index] = await threads.work(READING * len(content), partial(read_schema, index, content))
                with suppress(BackendMisconfigured):
                    self._fields.setdefault((index, None), await _roles(index, content, None))
            except BackendForbidden:
                self._schemas[index] = None
        return self._schemas[index]

    async def facets(self, index: str) -> Facets | None:
        """The values of the facets of an index; None if not available."""
        return await self._facets.of(index)

    async def reach(self, index: str) -> None:
        """Return when the service answers a request for the index, even if the index does not exist. Raises
        BackendError."""
        with suppress(BackendMissing):
            await self._count(index)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        await self._facets.close()
        if "_service" in self.__dict__:
            await self._service.close()

    async def _count(self, index: str) -> int | None:
        """Counts the documents of an index. The role Search Index Data Reader allows this."""
        request = HttpRequest("GET", f"{self._index_url(index)}/docs/$count?api-version={API_VERSION}")
        with telemetry.step("count", client=True, attributes=_attributes(index)):
            content = await self._send(request)
        text = content.decode("utf-8-sig", "replace").strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_COUNT else None

    async def _index_fields(self, place: Place) -> IndexFields:
        """The roles of an index's fields. Concurrent calls share one read of the definition, and its failure."""
        if place in self._fields:
            return self._fields[place]
        if place[0] in self._configured:
            return self._configured[place[0]]
        if place not in self._readings:
            self._readings[place] = asyncio.create_task(self._read(place))
        return await asyncio.shield(self._readings[place])

    async def _read(self, place: Place) -> IndexFields:
        await threads.once(_load_definitions)
        index, configuration = place
        try:
            content = await self._definition(index)
            self._fields[place] = await _roles(index, content, configuration)
            return self._fields[place]
        finally:
            del self._readings[place]

    async def _read_facets(self, index: str) -> Facets:
        fields = await self._index_fields((index, None))
        if not fields.facets:
            return Facets(dates=fields.dates, languages=fields.languages)
        request = self._search(index, facets.body(fields), version=_version(preview=fields.permissions))
        with telemetry.step("facets", client=True, attributes=_attributes(index)):
            content = await self._send(request, headers=POSTED)
        return await threads.work(len(content), partial(facets.read, content, fields))

    async def _definition(self, index: str) -> bytes:
        request = HttpRequest("GET", f"{self._index_url(index)}?api-version={PREVIEW_VERSION}")
        with telemetry.step("definition", client=True, attributes=_attributes(index)):
            return await self._send(request, reading=index)

    def _search(self, index: str, query: dict[str, object], *, version: str = API_VERSION) -> HttpRequest:
        url = f"{self._index_url(index)}/docs/search.post.search?api-version={version}"
        return HttpRequest("POST", url, content=json.dumps(query).encode())

    def _index_url(self, index: str) -> str:
        if index not in self._urls:
            self._urls[index] = f"{self._endpoint}/indexes('{quote(index, safe='')}')"
        return self._urls[index]

    @cached_property
    def _service(self) -> SearchClient:
        return client(self._endpoint, self._credential, self._transport(), audience=self._audience)

    async def _send(
        self, request: HttpRequest, *, headers: Mapping[str, str] = JSON, reading: str | None = None
    ) -> bytes:
        """The body of a successful response. `reading` is the name of the index if its definition is requested."""
        if self._over_the_network:
            await threads.once(_load)
        try:
            response = await self._service.send_request(request, headers={**headers, **telemetry.outgoing()})
        except ClientAuthenticationError:
            raise BackendForbidden(SERVICE, status=401, hint="No token could be obtained for it.") from None
        except AzureError as error:
            raise BackendUnavailable(SERVICE, f"could not be reached ({type(error).__name__}).") from error
        if response.status_code not in {200, 206}:
            raise failure(response, reading=reading, missing_error=self._missing_error)
        return response.content


def _attributes(index: str) -> telemetry.Attributes:
    return {telemetry.INDEX: index, telemetry.SYSTEM: telemetry.AZURE_SEARCH}


async def _roles(index: str, content: bytes, configuration: str | None) -> IndexFields:
    """The roles of the fields in an index definition. Raises BackendError."""
    from retrieval.backends.azure_search.definition import read_index_fields

    work = partial(read_index_fields, index, content, configuration=configuration)
    return await threads.work(READING * len(content), work)


def _load_definitions() -> None:
    from retrieval.backends.azure_search import definition  # noqa: F401


def _load() -> None:
    from retrieval.backends.azure_search import over_aiohttp  # noqa: F401


def _network() -> Transport:
    from retrieval.backends.azure_search.over_aiohttp import SearchTransport

    return SearchTransport(read_seconds=READ_SECONDS)


def _version(*, preview: bool) -> str:
    return PREVIEW_VERSION if preview else API_VERSION


def _headers(subquery: Subquery) -> dict[str, str]:
    token = subquery.user_token
    return POSTED if token is None else {**JSON, "x-ms-query-source-authorization": token, **POSTED}
