"""Facets that a question names: documents with a source of their own, and questions that say which.

Every document of a public collection gets one of 36 invented sources by its key, and every question names the sources
of the documents that it needs; so the figures say what naming a source is worth, not how people name one. In the last
row the named sources are wrong: what a doubtful preference may cost. The share of a boost was chosen on these
collections, the even questions first.
"""

import asyncio
import json
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Final
from zlib import crc32

from retrieval.call.ports import Ports
from retrieval.local import json_lines
from retrieval.local.evaluation import collections as evaluated
from retrieval.local.evaluation.collections import Question
from retrieval.model.conversation import Message
from retrieval.model.retrieval import Limits, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.retrieve import retrieve_documents
from tests.benchmarks.collection import NOON, Collection, found, loaded
from tests.benchmarks.table import Row, show

SOURCES: Final = tuple(
    f"{place} {kind}"
    for kind in ("Courier", "Observer", "Dispatch", "Ledger")
    for place in ("Alder", "Brook", "Cairn", "Dale", "Elm", "Fell", "Glen", "Holt", "Isle")
)
WRONG: Final = 5
K: Final = 5
MISSED_TARGET: Final = 0.9
LOST_TARGET: Final = 0.03


def source(key: str, *, shifted: int = 0) -> str:
    return SOURCES[(crc32(key.encode()) + shifted) % len(SOURCES)]


def with_sources(collection: evaluated.Collection) -> Collection:
    """The collection in an index whose documents have a source each."""
    assert collection.corpus is not None
    lines = (one.value for one in json_lines.read(collection.corpus))
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        corpus.write_text("\n".join(json.dumps({**line, "source": source(str(line["_id"]))}) for line in lines))
        return loaded(collection, corpus)


async def recalled(collection: Collection, question: Question, *, facets: bool, shifted: int = 0) -> float:
    """The share of the needed documents among the first five."""
    said = " and ".join(sorted({f"the {source(key, shifted=shifted)}" for key in question.gold}))
    request = RetrievalRequest(
        messages=(Message(role="user", text=f"{question.text.rstrip('?')}, according to {said}?"),),
        targets=(SearchTarget(index=collection.name, threshold=0),),
        limits=Limits(output_tokens=5_000, runtime=60),
    )
    index = collection.index
    outcome = await retrieve_documents.retrieve(
        request, Ports(index=index, model=None, clock=lambda: NOON, facets=index if facets else None)
    )
    return len(question.gold & {one.hit.key for one in outcome.references[:K]}) / len(question.gold)


async def measured(collection: Collection) -> None:
    questions = [one for one in collection.questions if one.gold and len(one.messages) == 1]
    rows = []
    for shifted, half in ((0, 0), (0, 1), (WRONG, 0), (WRONG, 1)):
        asked = questions[half::2]
        before, after = [
            fmean([await recalled(collection, one, facets=facets, shifted=shifted) for one in asked])
            for facets in (False, True)
        ]
        note = f"recall@{K} {before:.3f} → {after:.3f}, {len(asked)} questions"
        missed = (1 - after) / (1 - before)
        rows.append(
            Row(name=f"wrong, {half + 1}", value=before - after, target=LOST_TARGET, unit="lost", note=note)
            if shifted
            else Row(name=f"named, {half + 1}", value=missed, target=MISSED_TARGET, unit="of the missed", note=note)
        )
    show(f"{collection.name}: questions that name the sources of their documents, by halves", rows)


async def main() -> None:
    for collection in found("hotpot100", "mtragmini"):
        await measured(with_sources(collection))


if __name__ == "__main__":
    asyncio.run(main())
