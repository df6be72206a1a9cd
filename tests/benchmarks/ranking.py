"""How well a plain text search ranks: nDCG@10 over a public test collection, for one field, two fields, each analyzer.

    python -m tests.benchmarks.ranking [DIRECTORY]

The directory is a collection as `eval` reads it (docs/developing/evaluation.md); else `../shared/data/scifact` is read.
Nothing of a collection is part of the project.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from azure.core.rest import HttpRequest
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex

from retrieval.local import json_lines
from retrieval.local.evaluation import metrics
from retrieval.local.evaluation.collections import Collection, read
from retrieval.local.search_service import SearchService
from retrieval.local.transport import ENDPOINT, connect

DIRECTORY: Final = Path("../shared/data/scifact")
TARGET: Final = 0.68
DEPTH: Final = 10
BATCH: Final = 500
ANALYZERS: Final = ("standard.lucene", "stop", "simple", "whitespace")

Document = Mapping[str, Any]


def client(documents: Sequence[Document], analyzer: str, *, fields: int) -> SearchClient:
    """An index with the collection in it: title and text in one field, or each in its own."""
    names = ["text"] if fields == 1 else ["title", "text"]
    key: dict[str, Any] = {"name": "id", "type": "Edm.String", "key": True, "searchable": False}
    texts = [{"name": name, "type": "Edm.String", "analyzer": analyzer, "filterable": False} for name in names]
    for text in texts:
        text.update(facetable=False, sortable=False)
    service = SearchService()
    index = SearchIndex({"name": "ranking", "fields": [key, *texts]})
    SearchIndexClient(**connect(service)).create_index(index)
    found = SearchClient(index_name="ranking", **connect(service))
    for start in range(0, len(documents), BATCH):
        found.upload_documents([_document(one, fields) for one in documents[start : start + BATCH]])
    return found


def _document(one: Document, fields: int) -> dict[str, Any]:
    title, text = one.get("title", ""), one.get("text", "")
    texts = {"text": f"{title} {text}"} if fields == 1 else {"title": title, "text": text}
    return {"id": one["_id"], **texts}


def mean_ndcg(collection: Collection, searched: SearchClient) -> float:
    """The mean over the queries that have judgements, of nDCG at DEPTH with the grades as gains."""
    judged = [one for one in collection if one.gold]
    found = metrics.of_rankings(
        {one.id: one.grades for one in judged}, {one.id: _search(searched, one.text) for one in judged}, k=DEPTH
    )
    return fmean(found[metrics.ndcg(DEPTH)].values())


def _search(searched: SearchClient, text: str) -> list[str]:
    url = f"{ENDPOINT}/indexes('ranking')/docs/search.post.search?api-version=2026-04-01"
    answer = searched.send_request(HttpRequest("POST", url, json={"search": text, "top": DEPTH, "select": "id"}))
    answer.raise_for_status()
    return [one["id"] for one in answer.json()["value"]]


def main() -> None:
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTORY
    if not directory.is_dir():
        print(f"ranking: no collection at {directory}; name a directory.\n")
        return
    collection = read(directory)
    assert collection.corpus is not None
    documents = [line.value for line in json_lines.read(collection.corpus)]
    print(
        f"nDCG@{DEPTH} of plain text search, {directory.name}: {len(documents):,} documents, "
        f"{len(collection.questions)} queries"
    )
    for analyzer, fields in [("en.lucene", 1), ("en.lucene", 2), *((name, 1) for name in ANALYZERS)]:
        value = mean_ndcg(collection, client(documents, analyzer, fields=fields))
        judged = f"target ≥ {TARGET}  {'met' if value >= TARGET else 'MISSED'}"
        goal = judged if (analyzer, fields) == ("en.lucene", 1) else ""
        kind = "one field" if fields == 1 else "two fields"
        print(f"  {analyzer:<16} {kind:<10}  {value:.4f}  {goal}".rstrip(), flush=True)
    print()


if __name__ == "__main__":
    main()
