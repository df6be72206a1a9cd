"""Runs made up for tests."""

from collections.abc import Mapping, Sequence

from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.configurations import parse
from retrieval.local.evaluation.runs import Result, Run
from retrieval.model.conversation import Message


def question(id: str, grades: Mapping[str, int] | None = None, **labels: str) -> Question:
    return Question(id=id, messages=(Message(role="user", text=f"What is {id}?"),), grades=grades or {}, labels=labels)


def result(
    asked: Question,
    keys: Sequence[str] = (),
    *,
    confidence: float | None = None,
    scores: Sequence[float | None] | None = None,
    error: str | None = None,
) -> Result:
    return Result(
        question=asked,
        seconds=0.5,
        keys=tuple(keys),
        scores=tuple(scores or [None] * len(keys)),
        confidence=confidence,
        error=error,
    )


def run(spec: str, *results: Result) -> Run:
    return Run(configuration=parse(spec), results=results)
