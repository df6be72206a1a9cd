"""The public test collections beside the project, in the local search service, asked through the answer's workflow.

A collection is a folder with `corpus.jsonl.gz`, `queries.jsonl.gz` and `qrels.tsv.gz` (query, document, grade). None is
part of the project: where one is not there, its benchmark says so and ends.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from azure.core.credentials import AzureKeyCredential

from retrieval.answering.workflow import answer
from retrieval.backends.azure_search.index import AzureSearchIndex
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import AsyncInProcessTransport
from retrieval.model.answer import Answer, AnswerLimits, AnswerRequest
from retrieval.model.conversation import Message
from retrieval.model.search import SearchTarget

FOLDER: Final = Path("../shared/data")
NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query with the turns before it. `grades` are its judged documents, `labels` what else the file says of it."""

    id: str
    messages: tuple[Message, ...]
    grades: Mapping[str, int]
    labels: Mapping[str, Any]

    @property
    def gold(self) -> frozenset[str]:
        """The documents that are needed."""
        return frozenset(key for key, grade in self.grades.items() if grade > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Its questions, its documents' texts by key, and an index that holds them."""

    name: str
    questions: tuple[Question, ...]
    texts: Mapping[str, str]
    index: AzureSearchIndex

    async def answer(self, question: Question, *, follow_ups: int = 1) -> Answer:
        """What the workflow answers without a model."""
        request = AnswerRequest(
            messages=question.messages,
            targets=(SearchTarget(index=self.name, threshold=0),),
            limits=AnswerLimits(follow_ups=follow_ups),
            nonce="benchmark",
        )
        return await answer(request, index=self.index, schemas=self.index, model=None, clock=lambda: NOON)


def collections(*names: str) -> Iterator[Collection]:
    """Those that are there; of the others it is said that they are not."""
    for name in names:
        folder = FOLDER / name
        if (folder / "qrels.tsv.gz").exists():
            yield _read(name, folder)
        else:
            print(f"  {name}: skipped, there is no collection at {folder}")


def _read(name: str, folder: Path) -> Collection:
    corpus = folder / "corpus.jsonl.gz"
    local = stand_in(((name, str(corpus)),))
    return Collection(
        name=name,
        questions=tuple(_questions(folder)),
        texts={one["_id"]: one["text"] for one in _objects(corpus)},
        index=AzureSearchIndex(
            local.endpoint,
            AzureKeyCredential(local.key),
            fields={},
            transport=lambda: AsyncInProcessTransport(local.service),
            comparable=False,
        ),
    )


def _questions(folder: Path) -> Iterator[Question]:
    grades: dict[str, dict[str, int]] = {}
    for line in _lines(folder / "qrels.tsv.gz"):
        query, document, grade = line.split("\t")[:3]
        if grade.strip().isdigit():
            grades.setdefault(query, {})[document] = int(grade)
    for one in _objects(folder / "queries.jsonl.gz"):
        turns = [*one.pop("history", ()), {"role": "user", "text": one.pop("text")}]
        messages = tuple(Message(role=turn["role"].replace("agent", "assistant"), text=turn["text"]) for turn in turns)
        yield Question(id=one["_id"], messages=messages, grades=grades.get(one["_id"], {}), labels=one)


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, _lines(path))


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from lines


def selected(given: Answer) -> Sequence[str]:
    """The keys of the documents that the answer chose, in its order; none where the route was not to retrieve."""
    if given.judgement is None:
        return ()
    return [one.chunk.reference.hit.key for one in given.judgement.selected]
