"""The service: a WireRequest in, a WireResponse out. It keeps everything in memory, and works beside the event loop:
one request after the other, as they came, or several where a model is asked."""

import asyncio
import logging
import threading
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime

from retrieval.contracts.served_versions import SERVED
from retrieval.errors import BadRequest
from retrieval.http.call import UnknownVersions
from retrieval.local.search_service import bodies
from retrieval.local.search_service.api import (
    get_search,
    listing,
    management,
    responses,
    scripted,
    searching,
)
from retrieval.local.search_service.api.access import ServiceKeys
from retrieval.local.search_service.api.routes import route
from retrieval.local.search_service.definitions import index as definition
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine import scoring, writing
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.vector_search import ScoreRule
from retrieval.local.search_service.errors import SearchServiceError
from retrieval.local.search_service.features import completing, suggest_options, suggesting
from retrieval.local.search_service.features.suggest_options import AutocompleteOptions, SuggestOptions
from retrieval.local.search_service.query import options, projection
from retrieval.local.search_service.request_line import RequestLine
from retrieval.local.search_service.text import analyze
from retrieval.local.wire import WireRequest, WireResponse

DEVELOPMENT_KEY = "local-dev-key"

AT_THE_SAME_TIME = 16
"""Requests, where a model is asked for some of them; others wait."""

_MOST_NAMED = 10
"""Unknown parameters that a line of the log names."""

_log = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


def _tell_ignored(wanted: RequestLine) -> None:
    """Names alone: a value may be a secret."""
    if wanted.ignored:
        names = ", ".join(repr(name[:128]) for name in wanted.ignored[:_MOST_NAMED])
        others = ", and others" if len(wanted.ignored) > _MOST_NAMED else ""
        _log.warning("Unknown parameters of a query are ignored (%s): %s%s.", wanted.operation, names, others)


class SearchService:
    """An in-memory Azure AI Search; its instances are `WireService`s.

    `query_keys` and `reader_keys` (the role Search Index Data Reader) may read documents only. With `accept_tokens`,
    any bearer token counts as an admin key. `vector_scores` says what a vector query by itself scores (`ScoreRule`).
    `catalog` is one with a store, where what it holds should outlive the process. `clock` tells the time by which
    scoring profiles measure freshness. With `strict_versions` an api-version that nobody knows yet is refused.
    Calls may come from several event loops and threads.
    """

    def __init__(
        self,
        *,
        admin_keys: Collection[str] = (DEVELOPMENT_KEY,),
        query_keys: Collection[str] = (),
        reader_keys: Collection[str] = (),
        accept_tokens: bool = False,
        vector_scores: ScoreRule = "similarity",
        catalog: Catalog | None = None,
        clock: Callable[[], datetime] = _now,
        strict_versions: bool = False,
    ) -> None:
        self._access = ServiceKeys(
            admin_keys=tuple(admin_keys),
            query_keys=tuple(query_keys),
            reader_keys=tuple(reader_keys),
            tokens=accept_tokens,
        )
        self._vector_scores: ScoreRule = vector_scores
        self._catalog = catalog or Catalog()
        self._clock = clock
        self._strict_versions = strict_versions
        self._unknown_versions = UnknownVersions()
        self._lock = threading.Lock()
        at_once = AT_THE_SAME_TIME if self._catalog.models.is_slow else 1
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="search")
        self._operations: dict[str, Callable[[RequestLine, WireRequest], WireResponse]] = {
            "service_statistics": self._service_statistics,
            "list_indexes": self._list_indexes,
            "create_index": self._create_index,
            "put_index": self._put_index,
            "get_index": self._get_index,
            "delete_index": self._delete_index,
            "index_statistics": self._index_statistics,
            "list_statistics": self._list_statistics,
            "write_documents": self._write_documents,
            "search": self._search,
            "analyze": self._analyze,
            "count": self._count,
            "lookup": self._lookup,
            "suggest": self._suggest,
            "autocomplete": self._autocomplete,
            "list_nothing": lambda wanted, request: listing.listed(wanted, request, ()),
            **management.operations(self._catalog),
        }

    def for_keys(
        self, *, admin_keys: Collection[str], query_keys: Collection[str], strict_versions: bool = False
    ) -> "SearchService":
        """The same indexes behind other keys."""
        other = copy(self)
        other._strict_versions = strict_versions
        other._access = ServiceKeys(admin_keys=tuple(admin_keys), query_keys=tuple(query_keys))
        return other

    @property
    def catalog(self) -> Catalog:
        """The indexes, for who fills them in this process without HTTP."""
        return self._catalog

    async def __call__(self, request: WireRequest) -> WireResponse:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._answer, request)

    def accepts(self, head: WireRequest) -> bool:
        """Whether a request with this head, whose body was not read yet, gets further than its path and its key."""
        try:
            wanted = route(head.method, head.target)
            self._access.check(head, reads_documents=wanted.reads_documents)
        except SearchServiceError:
            return False
        return True

    def _answer(self, request: WireRequest) -> WireResponse:
        try:
            wanted = route(request.method, request.target, strict_versions=self._strict_versions)
            self._access.check(request, reads_documents=wanted.reads_documents)
            _tell_ignored(wanted)
            if self._catalog.models.is_slow:
                from retrieval.local.search_service.api import preparing

                preparing.prepare(wanted, request, self._catalog)
            with self._lock:
                answer = self._versioned(self._operations[wanted.operation](wanted, request), wanted)
        except SearchServiceError as error:
            answer = responses.refusal(error.status, error.code, error.message)
        except BadRequest as error:
            answer = responses.refusal(400, "InvalidRequestParameter", error.message)
        return responses.echoing(answer, request)

    def _versioned(self, answer: WireResponse, wanted: RequestLine) -> WireResponse:
        """The answer with the version that it is in, where that is not the one that was asked for."""
        if wanted.unknown_version is None:
            return answer
        served = wanted.query["api-version"]
        self._unknown_versions.asked(wanted.unknown_version, served)
        return replace(answer, headers=(*answer.headers, (SERVED, served)))

    def _list_statistics(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return listing.listed(wanted, request, self._catalog, shown=responses.statistics_of_one)

    def _service_statistics(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return responses.success(responses.service_statistics(self._catalog, self._clock()))

    def _list_indexes(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return listing.listed(wanted, request, self._catalog)

    def _create_index(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        index = self._catalog.create(self._definition(wanted, request))
        return responses.success(responses.described(index), 201)

    def _definition(self, wanted: RequestLine, request: WireRequest) -> IndexDefinition:
        parsed = definition.parse(bodies.read_object(request))
        parsed.scoring.check_version(wanted.query["api-version"])
        return parsed

    def _put_index(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        new = self._definition(wanted, request)
        existed = self._catalog.put(
            wanted.names[0], new, bodies.condition(request), downtime=wanted.says("allowindexdowntime")
        )
        return responses.put(self._catalog.get(new.name), request, existed=existed)

    def _get_index(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return responses.success(responses.described(self._catalog.get(wanted.names[0])))

    def _delete_index(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        self._catalog.delete(wanted.names[0], bodies.condition(request))
        return WireResponse(status=204)

    def _index_statistics(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return responses.success(responses.index_statistics(self._catalog.get(wanted.names[0])))

    def _write_documents(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        index = self._catalog.target(wanted.names[0])
        batch = writing.read_batch(bodies.read_object(request), index.definition, unsafe=wanted.has_unsafe_keys)
        before = {change.key: index.lookup(change.key) for change in batch}
        results = [writing.carry_out(change, index) for change in batch]
        done = [change.key for change, result in zip(batch, results, strict=True) if result["status"]]
        self._catalog.keep_documents(index, before, done)
        return responses.success({"value": results}, 200 if all(one["status"] for one in results) else 207)

    def _search(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        body = get_search.body(request.target) if request.method == "GET" else bodies.read_object(request)
        index = self._catalog.target(wanted.names[0])
        away = scripted.ranker_away(request)
        wish = options.parse(body)
        profile = scoring.read(wish, index, now=self._clock(), version=wanted.query["api-version"])
        search = searching.Search(index, wish, scoring=profile, vector_scores=self._vector_scores, ranker_away=away)
        return responses.search(search.run(), index, search.select, request=request, body=body)

    def _analyze(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        lexicon = self._catalog.get(wanted.names[0]).definition.lexicon
        return responses.success(analyze.analyzed(bodies.read_object(request), lexicon))

    def _count(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return responses.plain(str(len(self._catalog.target(wanted.names[0]))))

    def _suggest(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        wish = suggest_options.read(SuggestOptions, wanted, request)
        return responses.success(suggesting.suggest(self._catalog.target(wanted.names[0]), wish))

    def _autocomplete(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        wish = suggest_options.read(AutocompleteOptions, wanted, request)
        return responses.success(completing.autocomplete(self._catalog.target(wanted.names[0]), wish))

    def _lookup(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        index = self._catalog.target(wanted.names[0])
        document = index.existing(wanted.names[1])
        names = [name.strip() for name in wanted.query.get("$select", "*").split(",")]
        return responses.success(projection.project(document, projection.shape(names, index.definition)))
