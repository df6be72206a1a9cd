"""What goes back: JSON as the REST API spells it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic_core import to_json

from retrieval.local.search_service.api import paging
from retrieval.local.search_service.api.searching import Found, ResultPage
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.versioned import Resource
from retrieval.local.search_service.query import projection, spelling
from retrieval.local.search_service.query.projection import Shape
from retrieval.local.wire import WireRequest, WireResponse

_JSON = ("content-type", "application/json; odata.metadata=none; charset=utf-8")
_TEXT = ("content-type", "text/plain; charset=utf-8")
_BOM = b"\xef\xbb\xbf"

SEMANTIC_HEADER = "x-local-search-semantic"

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def success(body: Mapping[str, Any], status: int = 200) -> WireResponse:
    return WireResponse(status=status, headers=(_JSON,), body=_encode(body).encode())


def refusal(status: int, code: str, message: str) -> WireResponse:
    body = _encode({"error": {"code": code, "message": message}})
    return WireResponse(status=status, headers=(_JSON,), body=body.encode("utf-8", "replace"))


def plain(text: str) -> WireResponse:
    """Text with a byte order mark, as the service sends `$count`."""
    return WireResponse(status=200, headers=(_TEXT,), body=_BOM + text.encode())


def echoing(answer: WireResponse, request: WireRequest) -> WireResponse:
    """The same answer with the client's request id, if it sent one."""
    sent = request.header("x-ms-client-request-id")
    if sent is None:
        return answer
    return replace(answer, headers=(*answer.headers, ("x-ms-client-request-id", sent)))


def described(resource: Resource, select: Sequence[str] = ("*",)) -> dict[str, Any]:
    """The definition with its ETag; `select` names members, a star all."""
    whole = {"@odata.etag": resource.etag, **resource.wire}
    return whole if "*" in select else {name: value for name, value in whole.items() if name in select}


def put(resource: Resource, request: WireRequest, *, existed: bool) -> WireResponse:
    """What a PUT is answered with: an update is described only to who prefers `return=representation`.

    https://learn.microsoft.com/rest/api/searchservice/common-http-request-and-response-headers-used-in-azure-search
    """
    preferred = (request.header("prefer") or "").replace(" ", "").lower().split(",")
    if "return=minimal" in preferred or (existed and "return=representation" not in preferred):
        return WireResponse(status=204 if existed else 201)
    return success(described(resource), 200 if existed else 201)


def index_statistics(index: LocalIndex) -> dict[str, int]:
    """Sizes are bytes of the documents as JSON: what the engine takes is not known."""
    size = sum(len(_encode(document).encode()) for _, document in index.documents())
    return {"documentCount": len(index), "storageSize": size, "vectorIndexSize": index.vector_size}


def statistics_of_one(index: LocalIndex, select: Sequence[str]) -> dict[str, Any]:
    """Those of an index by its name, as a list of them has it."""
    whole = {"name": index.name, **index_statistics(index)}
    return whole if "*" in select else {name: value for name, value in whole.items() if name in select}


def service_statistics(catalog: Catalog, now: datetime) -> dict[str, Any]:
    """Counts are true; there are no quotas, and no indexer ever runs."""
    counts = {
        "documentCount": sum(len(index) for index in catalog),
        "indexesCount": sum(1 for _ in catalog),
        "storageSize": sum(index_statistics(index)["storageSize"] for index in catalog),
        "vectorIndexSize": sum(index.vector_size for index in catalog),
        "aliasesCount": len(catalog.aliases),
        "synonymMaps": len(catalog.synonym_maps),
    }
    absent = ("indexersCount", "dataSourcesCount", "skillsetCount")
    counters = {name: {"usage": counts.get(name, 0), "quota": None} for name in (*counts, *absent)}
    limits = {
        "maxFieldsPerIndex": 1000,
        "maxFieldNestingDepthPerIndex": 10,
        "maxComplexCollectionFieldsPerIndex": 40,
        "maxComplexObjectsInCollectionsPerDocument": 3000,
        "maxStoragePerIndex": None,
        "maxCumulativeIndexerRuntimeSeconds": None,
    }
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    day = {"beginningTime": _moment(today), "endingTime": _moment(today + timedelta(days=1, seconds=-1))}
    return {
        "counters": counters,
        "limits": limits,
        "indexersRuntime": {"usedSeconds": 0, "remainingSeconds": None, **day},
    }


def _moment(when: datetime) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"


def search(
    page: ResultPage, index: LocalIndex, select: Shape, *, request: WireRequest, body: Mapping[str, Any]
) -> WireResponse:
    """One page. Where more documents were asked for than are in it, it says how to get them."""
    envelope: dict[str, Any] = {}
    if page.total is not None:
        envelope["@odata.count"] = page.total
    envelope.update(page.around)
    if page.missed is not None:
        envelope["@search.semanticPartialResponseReason"] = page.missed
        envelope["@search.semanticPartialResponseType"] = "baseResults"
    following = paging.following(request, body, given=len(page.found), more=page.more)
    if following is not None and following.parameters is not None:
        envelope["@search.nextPageParameters"] = following.parameters
    envelope["value"] = [
        _rendered(one, index.document(one.ordinal), select, page.beside[one.ordinal]) for one in page.found
    ]
    if following is not None:
        envelope["@odata.nextLink"] = following.link
    status = 200 if page.missed is None else 206
    answer = WireResponse(status=status, headers=(_JSON, *spelling.headers(body)), body=to_json(envelope))
    if page.ranked_by is None:
        return answer
    return replace(answer, headers=(*answer.headers, (SEMANTIC_HEADER, page.ranked_by)))


def _rendered(one: Found, document: Document, select: Shape, beside: Mapping[str, Any]) -> dict[str, Any]:
    """A document as an element of `value`."""
    row: dict[str, Any] = {"@search.score": one.score}
    if one.reranked is not None:
        row["@search.rerankerScore"] = one.reranked
    if one.boosted is not None:
        row["@search.rerankerBoostedScore"] = one.boosted
    row.update(beside)
    row.update(projection.project(document, select))
    return row
