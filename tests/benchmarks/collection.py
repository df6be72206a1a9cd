"""The public test collections beside the project, in the local search service, asked through the answer's workflow.

None is part of the project: where a collection is not there, its benchmark says so and ends.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from azure.core.credentials import AzureKeyCredential

from retrieval.answer.answers import answer
from retrieval.call.ports import Ports
from retrieval.local import json_lines
from retrieval.local.evaluation import collections as evaluated
from retrieval.local.evaluation.collections import Question
from retrieval.local.search_service.models.wanted import Wanted
from retrieval.local.stand_in import NO_MODEL, stand_in
from retrieval.local.transport import AsyncInProcessTransport
from retrieval.model.answer import Answer
from retrieval.model.retrieval import ANSWER_LIMITS, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.sources.search_index.index import AzureSearchIndex
from tests.environments import ROOT

BESIDE: Final = Path("shared", "data")
FOLDER: Final = next((one for up in ROOT.parents if (one := up / BESIDE).is_dir()), Path("..") / BESIDE)
NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Its questions, its documents' texts by key, and an index that holds them."""

    name: str
    questions: Sequence[Question]
    texts: Mapping[str, str]
    index: AzureSearchIndex

    async def answer(self, question: Question, *, follow_ups: int = 1) -> Answer:
        """What the workflow answers without a model."""
        request = RetrievalRequest(
            output="answer",
            messages=question.messages,
            targets=(SearchTarget(index=self.name, threshold=0),),
            limits=replace(ANSWER_LIMITS, follow_ups=follow_ups),
            nonce="benchmark",
        )
        return await answer(request, Ports(index=self.index, schemas=self.index, model=None, clock=lambda: NOON))


def found(*names: str) -> Iterator[evaluated.Collection]:
    """Those that are there; of the others it is said that they are not."""
    for name in names:
        folder = FOLDER / name
        if folder.is_dir():
            yield evaluated.read(folder)
        else:
            print(f"  {name}: skipped, there is no collection at {folder}")


def collections(*names: str, models: Wanted = NO_MODEL) -> Iterator[Collection]:
    """The same in an index each."""
    return (loaded(one, one.corpus, models=models) for one in found(*names) if one.corpus is not None)


def loaded(collection: evaluated.Collection, corpus: Path, *, models: Wanted = NO_MODEL) -> Collection:
    """Its questions over the documents of a file."""
    local = stand_in(((collection.name, str(corpus)),), models=models)
    return Collection(
        name=collection.name,
        questions=collection.questions,
        texts={str(line.value["_id"]): str(line.value["text"]) for line in json_lines.read(corpus)},
        index=AzureSearchIndex(
            local.endpoint,
            AzureKeyCredential(local.key),
            fields={},
            transport=lambda: AsyncInProcessTransport(local.service),
            comparable=False,
        ),
    )
