"""The questions of three public collections, each asked in every way, with the model and without it."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from retrieval.answer.answers import answer
from retrieval.call.ports import Ports
from retrieval.compose import LOCAL_RUNTIME
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.runs import Result
from retrieval.model.activity import StepActivity
from retrieval.model.answer import Answer
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import ANSWER_LIMITS, Limits, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.models.chat_server import ChatServer
from retrieval.retrieve import retrieve_documents
from tests.benchmarks.collection import NOON, Collection
from tests.benchmarks.with_a_local_model.remembered import ModelCall, Remembered

Value = TypeVar("Value")

SETS: Final[Mapping[str, int]] = {"hotpot100": 1, "musique50": 1, "mtragmini": 2}
"""The sets, and the fewest messages of their questions: of MTRAG the later turns are asked."""

MOST: Final = 30
"""Questions of a set, chosen evenly among those with gold."""
MOST_ANSWERS: Final = 10
"""Questions of a set that the answer operation is asked."""

NO_MODEL: Final = "no model, auto"
RETRIEVES: Final[Mapping[str, tuple[Effort, bool]]] = {
    "one query": ("minimal", False),
    NO_MODEL: ("auto", False),
    "low": ("low", True),
    "auto": ("auto", True),
    "medium": ("medium", True),
}
"""By the name of a way, its effort, and whether it has the model."""
ANSWERS: Final[Mapping[str, bool]] = {"no model, answer": False, "answer": True}

EFFORTS: Final = ("low", "auto", "medium", "answer")
"""The ways with the model, of which a run may choose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question that was asked in a way. `cited` are the keys of the documents that an answer cites, and `calls` the
    calls of the model that it took. `by_model` says that the model wrote the answer, `judged_by_model` that it judged,
    and `sufficient` what the answer says of its evidence."""

    question: Question
    result: Result
    calls: tuple[ModelCall, ...]
    steps: tuple[StepActivity, ...]
    by_model: bool = False
    judged_by_model: bool = False
    sufficient: bool | None = None
    cited: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The seconds of its model calls, one after the other."""
        return sum(call.seconds for call in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Asks one question after the other, so that each call of the model belongs to one."""

    collection: Collection
    model: Remembered
    server: ChatServer

    async def retrieve(self, question: Question, way: str) -> Asked:
        effort, with_model = RETRIEVES[way]
        self.model.calls.clear()
        request = RetrievalRequest(
            messages=question.messages,
            targets=self._targets,
            effort=effort,
            limits=Limits(output_tokens=5_000, runtime=LOCAL_RUNTIME),
            nonce="benchmark",
        )
        outcome = await _alone(retrieve_documents.retrieve(request, self._ports(with_model)))
        keys = tuple(reference.hit.key for reference in outcome.references)
        return Asked(
            question=question,
            result=Result(question=question, seconds=0.0, keys=keys),
            calls=tuple(self.model.calls),
            steps=tuple(record for record in outcome.activity if isinstance(record, StepActivity)),
        )

    async def answer(self, question: Question, way: str) -> Asked:
        self.model.calls.clear()
        request = RetrievalRequest(
            output="answer",
            messages=question.messages,
            targets=self._targets,
            limits=replace(ANSWER_LIMITS, runtime=LOCAL_RUNTIME),
            nonce="benchmark",
        )
        given = await _alone(answer(request, self._ports(ANSWERS[way])))
        evidence = None if given.judgement is None else given.judgement.evidence
        return Asked(
            question=question,
            result=Result(question=question, seconds=0.0, keys=_selected(given)),
            calls=tuple(self.model.calls),
            steps=tuple(record for record in given.activity if isinstance(record, StepActivity)),
            by_model=given.written.by == "model",
            judged_by_model=evidence is not None and evidence.by == "model",
            sufficient=None if evidence is None else evidence.sufficient,
            cited=_cited(given),
        )

    @property
    def _targets(self) -> tuple[SearchTarget, ...]:
        return (SearchTarget(index=self.collection.name, threshold=0),)

    def _ports(self, with_model: bool) -> Ports:
        index = self.collection.index
        return Ports(
            index=index,
            schemas=index,
            facets=index,
            values_shown=True,
            clock=lambda: NOON,
            model=self.model if with_model else None,
            deployment=self.server.model if with_model else None,
            server=self.server if with_model else None,
        )


def chosen(collection: Collection, most: int) -> Sequence[Question]:
    """The questions of a set: thirty with gold, and of these `most`, each time evenly."""
    long_enough = [one for one in collection.questions if len(one.messages) >= SETS[collection.name]]
    return _evenly(_evenly([one for one in long_enough if one.gold], MOST), most)


def _evenly(questions: Sequence[Question], most: int) -> Sequence[Question]:
    count = min(most, len(questions))
    return [questions[place * len(questions) // count] for place in range(count)]


async def _alone(work: Coroutine[object, object, Value]) -> Value:
    """The result of work in a task of its own: a timeout within it cancels that task, an interruption the main one."""
    return await asyncio.create_task(work)


def _selected(given: Answer) -> tuple[str, ...]:
    if given.judgement is None:
        return ()
    return tuple(selected.chunk.reference.hit.key for selected in given.judgement.selected)


def _cited(given: Answer) -> tuple[str, ...]:
    keys = {chunk.id: chunk.reference.hit.key for chunk in given.chunks}
    return tuple(dict.fromkeys(keys[chunk] for chunk in given.written.cited if chunk in keys))
