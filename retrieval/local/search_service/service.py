"""The service: a WireRequest in, a WireResponse out. It keeps everything in memory and waits for nothing."""

import threading
from collections.abc import Callable, Collection, Mapping

from retrieval.errors import BadRequest
from retrieval.local.search_service import (
    analyzing,
    answers,
    bodies,
    completing,
    definition,
    get_search,
    options,
    projection,
    resources,
    scripted,
    searching,
    suggest_options,
    suggesting,
    writing,
)
from retrieval.local.search_service.access import Access
from retrieval.local.search_service.catalog import Catalog
from retrieval.local.search_service.errors import SearchServiceError, Unsupported
from retrieval.local.search_service.routes import Route, route
from retrieval.local.search_service.suggest_options import AutocompleteOptions, SuggestOptions
from retrieval.local.search_service.vector_search import ScoreRule
from retrieval.local.wire import WireRequest, WireResponse

DEVELOPMENT_KEY = "local-dev-key"

_REFUSED_HEADERS: Mapping[str, str] = {
    "x-ms-query-source-authorization": "document permissions (the header x-ms-query-source-authorization)",
    "x-ms-enable-elevated-read": "document permissions (the header x-ms-enable-elevated-read)",
}


class SearchService:
    """An in-memory Azure AI Search; its instances are `WireService`s.

    `query_keys` and `reader_keys` (the role Search Index Data Reader) may read documents only. With `accept_tokens`,
    any bearer token counts as an admin key. `vector_scores` says what a vector query by itself scores (`ScoreRule`).
    `catalog` is one with a store, where what it holds should outlive the process.
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
    ) -> None:
        self._access = Access(
            admin_keys=tuple(admin_keys),
            query_keys=tuple(query_keys),
            reader_keys=tuple(reader_keys),
            tokens=accept_tokens,
        )
        self._vector_scores: ScoreRule = vector_scores
        self._catalog = catalog or Catalog()
        self._lock = threading.Lock()
        self._operations: dict[str, Callable[[Route, WireRequest], WireResponse]] = {
            "service_statistics": self._service_statistics,
            "list_indexes": self._list_indexes,
            "create_index": self._create_index,
            "put_index": self._put_index,
            "get_index": self._get_index,
            "delete_index": self._delete_index,
            "index_statistics": self._index_statistics,
            "write_documents": self._write_documents,
            "search": self._search,
            "analyze": self._analyze,
            "count": self._count,
            "lookup": self._lookup,
            "suggest": self._suggest,
            "autocomplete": self._autocomplete,
            "list_nothing": lambda wanted, request: answers.success({"value": []}),
            **resources.operations(self._catalog),
        }

    @property
    def catalog(self) -> Catalog:
        """The indexes, for who fills them in this process without HTTP."""
        return self._catalog

    async def __call__(self, request: WireRequest) -> WireResponse:
        try:
            wanted = route(request.method, request.target)
            self._access.check(request, reads_documents=wanted.reads_documents)
            for name, what in _REFUSED_HEADERS.items():
                if request.header(name) is not None:
                    raise Unsupported(what)
            with self._lock:
                answer = self._operations[wanted.operation](wanted, request)
        except SearchServiceError as error:
            answer = answers.refusal(error.status, error.code, error.message)
        except BadRequest as error:
            answer = answers.refusal(400, "InvalidRequestParameter", error.message)
        return answers.echoing(answer, request)

    def _service_statistics(self, wanted: Route, request: WireRequest) -> WireResponse:
        return answers.success(answers.service_statistics(self._catalog))

    def _list_indexes(self, wanted: Route, request: WireRequest) -> WireResponse:
        select = wanted.query.get("$select", "*").split(",")
        return answers.success({"value": [answers.described(index, select) for index in self._catalog]})

    def _create_index(self, wanted: Route, request: WireRequest) -> WireResponse:
        index = self._catalog.create(definition.parse(bodies.read_object(request)))
        return answers.success(answers.described(index), 201)

    def _put_index(self, wanted: Route, request: WireRequest) -> WireResponse:
        new = definition.parse(bodies.read_object(request))
        existed = self._catalog.put(wanted.names[0], new, bodies.condition(request))
        return answers.put(self._catalog.get(new.name), request, existed=existed)

    def _get_index(self, wanted: Route, request: WireRequest) -> WireResponse:
        return answers.success(answers.described(self._catalog.get(wanted.names[0])))

    def _delete_index(self, wanted: Route, request: WireRequest) -> WireResponse:
        self._catalog.delete(wanted.names[0], bodies.condition(request))
        return WireResponse(status=204)

    def _index_statistics(self, wanted: Route, request: WireRequest) -> WireResponse:
        return answers.success(answers.index_statistics(self._catalog.get(wanted.names[0])))

    def _write_documents(self, wanted: Route, request: WireRequest) -> WireResponse:
        index = self._catalog.target(wanted.names[0])
        batch = writing.read_batch(bodies.read_object(request), index.definition)
        before = {change.key: index.lookup(change.key) for change in batch}
        results = [writing.carry_out(change, index) for change in batch]
        done = [change.key for change, result in zip(batch, results, strict=True) if result["status"]]
        self._catalog.keep_documents(index, before, done)
        return answers.success({"value": results}, 200 if all(one["status"] for one in results) else 207)

    def _search(self, wanted: Route, request: WireRequest) -> WireResponse:
        body = get_search.body(request.target) if request.method == "GET" else bodies.read_object(request)
        index = self._catalog.target(wanted.names[0])
        away = scripted.ranker_away(request)
        search = searching.Search(index, options.parse(body), vector_scores=self._vector_scores, ranker_away=away)
        return answers.search(search.run(), index, search.select, request=request, body=body)

    def _analyze(self, wanted: Route, request: WireRequest) -> WireResponse:
        self._catalog.get(wanted.names[0])
        return answers.success(analyzing.analyzed(bodies.read_object(request)))

    def _count(self, wanted: Route, request: WireRequest) -> WireResponse:
        return answers.plain(str(len(self._catalog.target(wanted.names[0]))))

    def _suggest(self, wanted: Route, request: WireRequest) -> WireResponse:
        wish = suggest_options.read(SuggestOptions, wanted, request)
        return answers.success(suggesting.suggest(self._catalog.target(wanted.names[0]), wish))

    def _autocomplete(self, wanted: Route, request: WireRequest) -> WireResponse:
        wish = suggest_options.read(AutocompleteOptions, wanted, request)
        return answers.success(completing.autocomplete(self._catalog.target(wanted.names[0]), wish))

    def _lookup(self, wanted: Route, request: WireRequest) -> WireResponse:
        index = self._catalog.target(wanted.names[0])
        document = index.existing(wanted.names[1])
        names = [name.strip() for name in wanted.query.get("$select", "*").split(",")]
        return answers.success(projection.project(document, projection.shape(names, index.definition)))
