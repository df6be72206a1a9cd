"""How well a plain text search ranks: nDCG@10 over a public test collection, for one field, two fields, each analyzer.

    python -m tests.benchmarks.ranking [DIRECTORY]

The directory holds `corpus.jsonl.gz`, `queries.jsonl.gz` and `qrels.tsv.gz` (query, document, grade), as SciFact does
in the form of BEIR; without it `../shared/data/scifact` is read. Nothing of a collection is part of the project.
"""

import gzip
import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from azure.core.rest import HttpRequest
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex

from retrieval.local.search_service import SearchService
from retrieval.local.transport import ENDPOINT, connect

DIRECTORY: Final = Path("../shared/data/scifact")
TARGET: Final = 0.68
DEPTH: Final = 10
BATCH: Final = 500
ANALYZERS: Final = ("standard.lucene", "stop", "simple", "whitespace")

Judgements = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    documents: list[dict[str, Any]]
    queries: dict[str, str]
    judgements: Judgements


def read(directory: Path) -> Collection:
    judgements: dict[str, dict[str, int]] = {}
    for line in _lines(directory / "qrels.tsv.gz"):
        query, document, grade = line.split("\t")[:3]
        if grade.strip().isdigit():
            judgements.setdefault(query, {})[document] = int(grade)
    queries = {one["_id"]: one["text"] for one in map(json.loads, _lines(directory / "queries.jsonl.gz"))}
    return Collection(
        documents=[json.loads(line) for line in _lines(directory / "corpus.jsonl.gz")],
        queries={query: queries[query] for query in judgements},
        judgements=judgements,
    )


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from lines


def client(collection: Collection, analyzer: str, *, fields: int) -> SearchClient:
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
    for start in range(0, len(collection.documents), BATCH):
        found.upload_documents([_document(one, fields) for one in collection.documents[start : start + BATCH]])
    return found


def _document(one: Mapping[str, Any], fields: int) -> dict[str, Any]:
    title, text = one.get("title", ""), one.get("text", "")
    texts = {"text": f"{title} {text}"} if fields == 1 else {"title": title, "text": text}
    return {"id": one["_id"], **texts}


def mean_ndcg(collection: Collection, searched: SearchClient) -> float:
    """The mean over the queries that have judgements, of nDCG at DEPTH with the grades as gains."""
    return sum(
        _ndcg(_search(searched, text), collection.judgements[query]) for query, text in collection.queries.items()
    ) / len(collection.queries)


def _search(searched: SearchClient, text: str) -> list[str]:
    url = f"{ENDPOINT}/indexes('ranking')/docs/search.post.search?api-version=2026-04-01"
    answer = searched.send_request(HttpRequest("POST", url, json={"search": text, "top": DEPTH, "select": "id"}))
    answer.raise_for_status()
    return [one["id"] for one in answer.json()["value"]]


def _ndcg(found: list[str], grades: Mapping[str, int]) -> float:
    gained = _gain([grades.get(key, 0) for key in found])
    best = _gain(sorted(grades.values(), reverse=True)[:DEPTH])
    return gained / best if best else 0.0


def _gain(grades: list[int]) -> float:
    return sum(grade / math.log2(place + 2) for place, grade in enumerate(grades))


def main() -> None:
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTORY
    if not (directory / "qrels.tsv.gz").exists():
        print(f"ranking: no collection at {directory}; name a directory.\n")
        return
    collection = read(directory)
    print(
        f"nDCG@{DEPTH} of plain text search, {directory.name}: {len(collection.documents):,} documents, "
        f"{len(collection.queries)} queries"
    )
    for analyzer, fields in [("en.lucene", 1), ("en.lucene", 2), *((name, 1) for name in ANALYZERS)]:
        value = mean_ndcg(collection, client(collection, analyzer, fields=fields))
        judged = f"target ≥ {TARGET}  {'met' if value >= TARGET else 'MISSED'}"
        goal = judged if (analyzer, fields) == ("en.lucene", 1) else ""
        kind = "one field" if fields == 1 else "two fields"
        print(f"  {analyzer:<16} {kind:<10}  {value:.4f}  {goal}".rstrip(), flush=True)
    print()


if __name__ == "__main__":
    main()
