"""The local search service at 10,000 to 100,000 documents of about 150 words, beside text engines by themselves.

    python -m tests.benchmarks.local_search [PLOT.svg]

It builds the index through the SDK's `upload_documents`, and measures at each size, so the table is also the growth.
With a path it writes the growth as a plot.
"""

import asyncio
import gc
import itertools
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from azure.core.rest import HttpRequest
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex

from retrieval.local.search_service import SearchService
from retrieval.local.transport import DEVELOPMENT_KEY, ENDPOINT, connect
from retrieval.local.wire import WireRequest
from tests.benchmarks import growth_plot
from tests.benchmarks.engines import CATEGORY, TAG, TOP, YEAR, Document, Engine, others
from tests.benchmarks.words import documents, questions

SIZES: Final = (10_000, 25_000, 50_000, 100_000)
BATCH: Final = 1_000
QUESTIONS: Final = 200
UPSERTS: Final = 11
FILTER: Final = f"category eq '{CATEGORY}' and year ge {YEAR} and tags/any(t: t eq '{TAG}')"
TARGET: Final = "/indexes('bench')/docs/search.post.search?api-version=2026-04-01"

Times = Mapping[str, float]
"""What was measured at one size, by name: milliseconds, or documents a second for `build`."""


def definition() -> dict[str, Any]:
    plain = {"filterable": False, "sortable": False, "facetable": False}
    return {
        "name": "bench",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
            {"name": "title", "type": "Edm.String", "analyzer": "en.lucene", **plain},
            {"name": "content", "type": "Edm.String", "analyzer": "en.lucene", **plain},
            {"name": "category", "type": "Edm.String", "searchable": False},
            {"name": "year", "type": "Edm.Int32"},
            {"name": "tags", "type": "Collection(Edm.String)", "searchable": False},
        ],
    }


def body(question: str, *, filtered: bool) -> dict[str, Any]:
    """Whole documents come back, about 1 KB each."""
    asked: dict[str, Any] = {"search": question, "top": TOP}
    return {**asked, "filter": FILTER} if filtered else asked


class Local:
    """The service, reached by the SDK in this process, and without it."""

    name = "local search service"

    def __init__(self) -> None:
        self._service = SearchService()
        connection = connect(self._service)
        SearchIndexClient(**connection).create_index(SearchIndex(definition()))
        self._client = SearchClient(index_name="bench", **connect(self._service))
        self._loop = asyncio.new_event_loop()

    def add(self, some: Sequence[Document]) -> None:
        for start in range(0, len(some), BATCH):
            self._client.upload_documents(list(some[start : start + BATCH]))
        self.search("warm", filtered=True)

    def search(self, question: str, *, filtered: bool) -> int:
        request = HttpRequest("POST", f"{ENDPOINT}{TARGET}", json=body(question, filtered=filtered))
        return len(self._client.send_request(request).json()["value"])

    def without_sdk(self, question: str) -> int:
        sent = json.dumps(body(question, filtered=False)).encode()
        request = WireRequest(method="POST", target=TARGET, headers=(("api-key", DEVELOPMENT_KEY),), body=sent)
        return len(self._loop.run_until_complete(self._service(request)).body)

    def replace(self, document: Document) -> bool:
        self._client.upload_documents([document])
        return self.search(document["content"], filtered=False) > 0


def milliseconds(call: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    found = []
    for one in asked:
        start = perf_counter()
        call(one)
        found.append((perf_counter() - start) * 1000)
    return found


def measured(engine: Engine | Local, asked: Sequence[str], size: int) -> dict[str, float]:
    milliseconds(lambda one: engine.search(one, filtered=False), asked[:20])
    plain = milliseconds(lambda one: engine.search(one, filtered=False), asked)
    filtered = milliseconds(lambda one: engine.search(one, filtered=True), asked)
    found = {"search": statistics.median(plain), "p95": statistics.quantiles(plain, n=20)[-1]}
    found["filtered"] = statistics.median(filtered)
    if isinstance(engine, Local):
        found["without SDK"] = statistics.median(milliseconds(engine.without_sdk, asked))
    try:
        found["upsert"] = statistics.median(milliseconds(lambda word: upsert(engine, word, size), NEW_WORDS))
    except NotImplementedError:
        found["upsert"] = float("nan")
    return found


NEW_WORDS: Final = [f"zyzzyva{chr(97 + n)}" for n in range(UPSERTS)]


def upsert(engine: Engine | Local, word: str, size: int) -> None:
    """Replaces one document and finds it by a word that it did not have."""
    place = str((NEW_WORDS.index(word) + 1) * size // (UPSERTS + 1))
    document = {"title": word, "content": word, "category": CATEGORY, "year": YEAR, "tags": [TAG]}
    assert engine.replace({"id": place, **document})


def grown(engine: Engine | Local, sizes: Sequence[int], asked: Sequence[str]) -> Iterator[tuple[int, Times]]:
    """Adds documents up to each size and measures there; `build` counts the documents added since the last."""
    coming = documents(sizes[-1])
    for before, size in itertools.pairwise((0, *sizes)):
        some = list(itertools.islice(coming, size - before))
        gc.collect()
        start = perf_counter()
        engine.add(some)
        build = len(some) / (perf_counter() - start)
        yield size, {"build": build, **measured(engine, asked, size)}


def line(name: str, size: int, times: Times) -> str:
    def cell(what: str) -> str:
        return f"{times[what]:9.2f}" if what in times and times[what] == times[what] else f"{'-':>9}"

    cells = " ".join(cell(what) for what in ("search", "p95", "filtered", "without SDK", "upsert"))
    return f"  {name:<21}{size:>8,} {times['build']:>9,.0f} {cells}"


def verdict(name: str, value: float, target: float, *, least: bool = False) -> str:
    met = value >= target if least else value <= target
    return f"  {name:<58}{value:>10,.2f}   target {'≥' if least else '≤'} {target:<8g}{'met' if met else 'MISSED'}"


def verdicts(ours: Times, raw: Times) -> list[str]:
    return [
        verdict("build through upload_documents, documents/s", ours["build"], 3_000, least=True),
        verdict("search, top 50, p50 with send_request, ms", ours["search"], 1.5),
        verdict("search without the SDK, times raw tantivy", ours["without SDK"] / raw["search"], 3),
        verdict("search with a filter of three clauses, times without", ours["filtered"] / ours["search"], 2),
        verdict("one upsert visible, ms", ours["upsert"], 20),
    ]


def main() -> None:
    asked = questions(QUESTIONS)
    print("documents of about 150 words; top 50; milliseconds, p50 unless said\n")
    print(f"  {'':<21}{'size':>8} {'docs/s':>9} {'search':>9} {'p95':>9} {'filtered':>9} {'no SDK':>9} {'upsert':>9}")
    times: dict[str, dict[int, Times]] = {}
    engines: list[Engine | Local] = [Local(), *others()]
    for engine in engines:
        sizes = SIZES if engine.name in (Local.name, "raw tantivy") else SIZES[-1:]
        for size, found in grown(engine, sizes, asked):
            times.setdefault(engine.name, {})[size] = found
            print(line(engine.name, size, found), flush=True)
    ours, raw = times[Local.name], times["raw tantivy"]
    print("", *verdicts(ours[SIZES[-1]], raw[SIZES[-1]]), "", sep="\n")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(growth_plot.svg("Growth of the local search service", plotted(ours, raw)), "utf-8")


def plotted(ours: Mapping[int, Times], raw: Mapping[int, Times]) -> dict[str, growth_plot.Line]:
    chosen = {"search": "search", "three-clause filter": "filtered", "upsert, visible": "upsert"}
    lines = {name: {size: times[what] for size, times in ours.items()} for name, what in chosen.items()}
    return {**lines, "raw tantivy, search": {size: times["search"] for size, times in raw.items()}}


if __name__ == "__main__":
    main()
