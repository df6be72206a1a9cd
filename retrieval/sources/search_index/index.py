"""Searches Azure AI Search indexes. Each sub-query is one query, which the SDK's client sends as plain JSON.

`SearchClient.send_request` is used instead of `SearchClient.search`. Authentication, retries and request ids are the
same. The answer stays plain JSON, which takes an eighth of the CPU time. Reference: Documents - Search Post.

The client's thirteen default policies would take 16 % more of the CPU time of a retrieve (tests/benchmarks/pieces.py).
The policies that a search does not need are left out: redirects, proxies, decoding of bodies, logging of bodies, and
spans. This service makes its own span for each call.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import quote
from uuid import uuid4

from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError, ClientAuthenticationError
from azure.core.pipeline import PipelineRequest, PipelineResponse
from azure.core.pipeline.policies import (
    AsyncBearerTokenCredentialPolicy,
    AsyncHTTPPolicy,
    AzureKeyCredentialPolicy,
    UserAgentPolicy,
)
from azure.core.rest import HttpRequest
from azure.search.documents import __version__
from azure.search.documents.aio import SearchClient

from retrieval import threads
from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMisconfigured,
    BackendMissing,
    BackendRefused,
    BackendUnavailable,
)
from retrieval.filters.schema import Schema
from retrieval.model.definitions import IndexFields
from retrieval.model.search import Facets, Page, SearchTarget, Subquery
from retrieval.outgoing.bodies import ENCODINGS
from retrieval.outgoing.breakers_and_retries import SEARCH_WAITS, TEMPORARY, patiently, retry_after
from retrieval.outgoing.connections import Transport
from retrieval.sources.search_index import definition_cache
from retrieval.sources.search_index.definition_cache import DefinitionCache, FacetCache, KnownDefinition
from retrieval.sources.search_index.failures import (
    NameRefused,
    check_names,
    failure,
    no_such_index,
    refused_twice,
)
from retrieval.sources.search_index.query import SERVICE, body, needs_preview, read_page
from retrieval.telemetry import names, outgoing_calls, spans
from retrieval.telemetry.spans import Attributes
from retrieval.version import USER_AGENT

REQUEST_ID: Final = "x-ms-client-request-id"
AUDIENCE: Final = "https://search.azure.com"

Credential: TypeAlias = AzureKeyCredential | AsyncTokenCredential


_USER_AGENT: Final = UserAgentPolicy(sdk_moniker=f"search-documents/{__version__}", user_agent=USER_AGENT).user_agent


def stamp(request: HttpRequest, headers: Mapping[str, str]) -> None:
    """Writes the headers, the user agent and a request id. All tries of a request have the same id.

    azure-core's request ids contain this machine's network address.
    """
    request.headers.update({**headers, REQUEST_ID: str(uuid4()), "User-Agent": _USER_AGENT})


class Retry(AsyncHTTPPolicy[Any, Any]):
    """Repeats a request after a temporary failure. This is safe, because a search changes nothing."""

    async def send(self, request: PipelineRequest[Any]) -> PipelineResponse[Any, Any]:
        send = partial(self.next.send, request)
        return await patiently(send, wait_of=_wait, waits=SEARCH_WAITS, system=names.AZURE_SEARCH)


def _wait(response: PipelineResponse[Any, Any]) -> float | None:
    """The least seconds to wait before a retry; None if the response is final. A failure without a `Retry-After` header
    is final, unless its status is in TEMPORARY."""
    status, retry_header = response.http_response.status_code, response.http_response.headers.get("Retry-After")
    if status == 429:
        outgoing_calls.throttled(names.AZURE_SEARCH)
    if status == 429 or status >= 500:
        return (0.0 if status in TEMPORARY else None) if retry_header is None else retry_after(retry_header)
    return None


def client(endpoint: str, credential: Credential, transport: Transport, *, audience: str | None = None) -> SearchClient:
    """One client for all indexes, because every request has its full URL. Redirects are not followed, because they
    would send keys and the user's token to another host. Tokens are requested for `audience`."""
    policy = (
        AzureKeyCredentialPolicy(credential, "api-key")
        if isinstance(credential, AzureKeyCredential)
        else AsyncBearerTokenCredentialPolicy(credential, f"{audience or AUDIENCE}/.default")
    )
    return SearchClient(endpoint, "-", credential, transport=transport, policies=[policy, Retry()])


API_VERSION: Final = "2026-04-01"
PREVIEW_VERSION: Final = "2025-05-01-preview"
"""This version supports `hybridSearch` and document permissions, and shows the permission filters in an index
definition."""

LONGEST_COUNT: Final = 18
"""The most digits of a number of documents."""

READ_SECONDS: Final = 30

JSON: Final = {"Accept": "application/json;odata.metadata=none", "Accept-Encoding": ENCODINGS}
POSTED: Final = {**JSON, "Content-Type": "application/json"}

Answer = TypeVar("Answer")


class AzureSearchIndex:
    """Searches the indexes of one service.

    `fields` configures the roles of the fields of some indexes. For any other index, the roles are read from the index
    definition, and read again after ten minutes or when the service refuses a name that the definition gave. A name may
    be that of an alias: the searches name the alias, and the definition of its index is read.

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
        self._over_the_network = transport is None
        self._transport = transport or _network
        self._facets = FacetCache(self._read_facets)
        self._definitions = DefinitionCache(self._read_definition, changed=self._facets.forget)

    async def search(self, subquery: Subquery) -> Page:
        """The best documents, at most 50, ranked semantically if the target asks for it. Raises BackendError, and
        UnsupportedFilter."""
        page = await self._with_roles(subquery.target, partial(self._page, subquery))
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
        """The fields of an index, which are kept for ten minutes; None if this service has no right to read them.
        Raises BackendError.

        A refusal is kept for ten minutes too. Reading a definition needs more rights than the role Search Index Data
        Reader gives.
        """
        known = await self._definitions.permitted(index)
        return None if known is None else known.schema

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
        await self._definitions.close()
        if "_service" in self.__dict__:
            await self._service.close()

    async def _count(self, index: str) -> int | None:
        """Counts the documents of an index. The role Search Index Data Reader allows this."""
        request = HttpRequest("GET", f"{self._index_url(index)}/docs/$count?api-version={API_VERSION}")
        with spans.step("count", client=True, attributes=_attributes(index)):
            content = await self._send(request)
        text = content.decode("utf-8-sig", "replace").strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_COUNT else None

    async def _with_roles(self, target: SearchTarget, ask: Callable[[IndexFields], Awaitable[Answer]]) -> Answer:
        """The answer to a search with the roles of the index's fields. If the service refuses a name that the
        definition gave, the definition is read again, and the search is tried once more. Raises BackendError."""
        index = target.index
        configured = self._configured.get(index)
        if configured is not None:
            try:
                return await ask(configured)
            except NameRefused as refusal:
                raise refused_twice(refusal, target, configured) from refusal
        known, fields = await self._roles(target)
        try:
            return await ask(fields)
        except NameRefused as refusal:
            newer = await self._newer_roles(target, known, refusal)
            if newer == fields and not refusal.is_field:
                raise refused_twice(refusal, target, None) from refusal
        try:
            return await ask(newer)
        except NameRefused as refusal:
            raise refused_twice(refusal, target, None) from refusal

    async def _roles(self, target: SearchTarget) -> tuple[KnownDefinition, IndexFields]:
        """The definition of an index, and the roles of its fields. A definition that lacks the semantic configuration
        is read again, unless it was read by this call."""
        index, configuration = target.index, target.semantic_configuration
        before, known = self._definitions.known(index), await self._definitions.of(index)
        try:
            return known, await known.roles(configuration)
        except BackendMisconfigured:
            if known is not before:
                raise
        newer = await self._definitions.newer(index, known)
        return newer, await newer.roles(configuration)

    async def _newer_roles(self, target: SearchTarget, known: KnownDefinition, refusal: NameRefused) -> IndexFields:
        """The roles after a refusal. Raises BackendMisconfigured if the definition cannot be read again."""
        try:
            newer = await self._definitions.newer(target.index, known)
        except BackendError as error:
            raise refused_twice(refusal, target, None, unread=error.reason) from error
        return await newer.roles(target.semantic_configuration)

    async def _page(self, subquery: Subquery, fields: IndexFields) -> Page:
        target = _of_fields(subquery.target, fields)
        query = body(subquery if target is subquery.target else replace(subquery, target=target), fields)
        preview = subquery.user_token is not None or needs_preview(target, fields)
        hinted = [boost.field for boost in target.boosts if boost.field is not None]
        request, token = self._search(target.index, query, preview=preview), subquery.user_token
        headers = POSTED if token is None else {**JSON, "x-ms-query-source-authorization": token, **POSTED}
        try:
            content = await self._send(request, headers=headers)
        except (BackendRefused, BackendMisconfigured) as error:
            check_names(error, query, hinted=hinted, target=target)
            raise
        return await threads.work(len(content), partial(read_page, content, fields, target))

    async def _read_facets(self, index: str) -> Facets:
        return await self._with_roles(SearchTarget(index=index, threshold=0), partial(self._facet_values, index))

    async def _facet_values(self, index: str, fields: IndexFields) -> Facets:
        if not fields.facets:
            return Facets(dates=fields.dates, languages=fields.languages, has_vectors=bool(fields.vectors))
        query = definition_cache.facets_body(fields)
        request = self._search(index, query, preview=fields.permissions)
        with spans.step("facets", client=True, attributes=_attributes(index)):
            try:
                content = await self._send(request, headers=POSTED)
            except (BackendRefused, BackendMisconfigured) as error:
                check_names(error, query)
                raise
        return await threads.work(len(content), partial(definition_cache.read_facets, content, fields))

    async def _read_definition(self, name: str) -> KnownDefinition:
        """The definition of an index, or of the index for which an alias of this name stands."""
        try:
            return await definition_cache.read(name, await self._definition(name, self._index_url(name)))
        except BackendMissing:
            index = await self._index_of_alias(name)
        return await definition_cache.read(index, await self._definition(index, self._index_url(index)))

    async def _index_of_alias(self, name: str) -> str:
        """The index for which an alias stands. Raises BackendMissing if there is no such alias, and BackendForbidden if
        this service may not read an alias that exists."""
        url = f"{self._endpoint}/aliases('{quote(name, safe='')}')"
        try:
            content = await self._definition(name, url)
        except BackendForbidden:
            await self._count(name)
            raise
        return await definition_cache.read_alias(name, content)

    async def _definition(self, name: str, url: str) -> bytes:
        request = HttpRequest("GET", f"{url}?api-version={PREVIEW_VERSION}")
        with spans.step("definition", client=True, attributes=_attributes(name)):
            return await self._send(request, reading=name)

    def _search(self, index: str, query: dict[str, object], *, preview: bool) -> HttpRequest:
        version = PREVIEW_VERSION if preview else API_VERSION
        url = f"{self._index_url(index)}/docs/search.post.search?api-version={version}"
        return HttpRequest("POST", url, content=json.dumps(query).encode())

    def _index_url(self, index: str) -> str:
        return f"{self._endpoint}/indexes('{quote(index, safe='')}')"

    @cached_property
    def _service(self) -> SearchClient:
        return client(self._endpoint, self._credential, self._transport(), audience=self._audience)

    async def _send(
        self, request: HttpRequest, *, headers: Mapping[str, str] = JSON, reading: str | None = None
    ) -> bytes:
        """The body of a successful response. `reading` is the name of the index if its definition is requested."""
        if self._over_the_network:
            await threads.imported("retrieval.sources.search_index.over_aiohttp")
        stamp(request, {**headers, **spans.outgoing()})
        try:
            response = await self._service.send_request(request)
        except ClientAuthenticationError:
            raise BackendForbidden(SERVICE, status=401, hint="No token could be obtained for it.") from None
        except AzureError as error:
            raise BackendUnavailable(SERVICE, "could not be reached.") from error
        if response.status_code not in {200, 206}:
            raise failure(response, reading=reading, missing_error=self._missing_error)
        return response.content


def _of_fields(target: SearchTarget, fields: IndexFields) -> SearchTarget:
    """The target with the preferences whose fields the index still has."""
    if not target.preferences:
        return target
    known_fields = {*fields.facets, *fields.dates}
    preferences = tuple(preference for preference in target.preferences if preference.field in known_fields)
    return replace(target, preferences=preferences)


def _attributes(index: str) -> Attributes:
    return {names.INDEX: index, names.SYSTEM: names.AZURE_SEARCH}


def _network() -> Transport:
    from retrieval.sources.search_index.over_aiohttp import SearchTransport

    return SearchTransport(read_seconds=READ_SECONDS)
