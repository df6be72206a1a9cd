"""What goes back: JSON as the REST API spells it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from retrieval.local.search_service.catalog import Catalog
from retrieval.local.search_service.index import LocalIndex
from retrieval.local.search_service.searching import Page, rendered
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


def described(index: LocalIndex, select: Sequence[str] = ("*",)) -> dict[str, Any]:
    """The definition as it was sent, with its ETag; `select` names members, a star all."""
    whole = {"@odata.etag": index.etag, **index.definition.wire}
    return whole if "*" in select else {name: value for name, value in whole.items() if name in select}


def index_statistics(index: LocalIndex) -> dict[str, int]:
    """Sizes are bytes of the documents as JSON: what the engine takes is not known."""
    size = sum(len(_encode(document).encode()) for _, document in index.documents())
    return {"documentCount": len(index), "storageSize": size, "vectorIndexSize": 0}


def service_statistics(catalog: Catalog) -> dict[str, Any]:
    """Counts are true; there are no quotas."""
    counts = {
        "documentCount": sum(len(index) for index in catalog),
        "indexesCount": sum(1 for _ in catalog),
        "storageSize": sum(index_statistics(index)["storageSize"] for index in catalog),
    }
    absent = ("aliasesCount", "indexersCount", "dataSourcesCount", "synonymMaps", "skillsetCount", "vectorIndexSize")
    counters = {name: {"usage": counts.get(name, 0), "quota": None} for name in (*counts, *absent)}
    limits = {
        "maxFieldsPerIndex": 1000,
        "maxFieldNestingDepthPerIndex": 10,
        "maxComplexCollectionFieldsPerIndex": 40,
        "maxComplexObjectsInCollectionsPerDocument": 3000,
    }
    return {"counters": counters, "limits": limits}


def search(page: Page, index: LocalIndex, select: Sequence[str], body: Mapping[str, Any]) -> WireResponse:
    """One page. Where documents follow and the caller set no `top`, it says how to ask for them."""
    envelope: dict[str, Any] = {}
    if page.total is not None:
        envelope["@odata.count"] = page.total
    continued = _continuation(page, body)
    if continued is not None:
        envelope["@search.nextPageParameters"] = continued
    envelope["value"] = [rendered(one, index.document(one.ordinal), select) for one in page.found]
    if continued is not None:
        envelope["@odata.nextLink"] = f"/indexes('{index.definition.name}')/docs/search.post.search"
    answer = success(envelope)
    if page.ranked_by is None:
        return answer
    return replace(answer, headers=(*answer.headers, (SEMANTIC_HEADER, page.ranked_by)))


def _continuation(page: Page, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The request for what follows; None where nothing does, or where the caller got as many as `top` asked for."""
    given = len(page.found)
    top = body.get("top")
    left = None if top is None else int(top) - given
    if not page.more or not given or left == 0:
        return None
    following = {**body, "skip": int(body.get("skip") or 0) + given}
    return following if left is None else {**following, "top": left}
