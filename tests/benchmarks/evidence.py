"""The evidence without a model: how well its confidence separates questions with and without an answer.

AUROC on a sample of MTRAG: of a question with judged documents and one that is labelled unanswerable, how often the
first gets the higher confidence. Beside it what others use: the ranker's score as it is, its mean, its distance from
the rest, the words alone. And what the rules cost.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, pstdev
from time import process_time
from typing import Final

from retrieval.answering.offline import extract
from retrieval.engine import evidence, signals
from retrieval.local.evaluation import statistics
from retrieval.local.evaluation.collections import Question
from retrieval.model.answer import Answer, AnswerRequest
from retrieval.model.chunk import Chunk
from retrieval.text import content_words
from tests.benchmarks.collection import Collection, collections
from tests.benchmarks.table import Row, show

NAME: Final = "mtragmini"
TARGET: Final = 0.72
CPU_TARGET: Final = 10.0
TIMED: Final = 60

Signal = Callable[[Question, Answer], float]


def confidence(question: Question, given: Answer) -> float:
    return given.judgement.evidence.confidence if given.judgement else 0.0


def scores(given: Answer) -> list[float]:
    found = [chunk.reference.hit.score for chunk in chunks(given)]
    return sorted((score for score in found if score is not None), reverse=True)


def chunks(given: Answer) -> list[Chunk]:
    """All that the queries found, each once, by number."""
    every = {chunk.id: chunk for result in given.results for chunk in result.chunks}
    return sorted(every.values(), key=lambda chunk: int(chunk.id[1:]))


def top(question: Question, given: Answer) -> float:
    return max(scores(given), default=0.0)


def top_three(question: Question, given: Answer) -> float:
    return sum(scores(given)[:3]) / 3


def distance(question: Question, given: Answer) -> float:
    found = scores(given)
    spread = pstdev(found) if len(found) > 1 else 0.0
    return (found[0] - fmean(found)) / spread if spread else 0.0


def said(question: Question, given: Answer) -> float:
    found = [content_words.said_in(chunk) for chunk in chunks(given)]
    weighed = content_words.weights(question.messages[-1].text, found)
    return content_words.share(weighed, frozenset[str]().union(*found[: signals.READ]))


SIGNALS: Final[Mapping[str, Signal]] = {
    "confidence": confidence,
    "top score": top,
    "mean of the top 3": top_three,
    "distance of the top": distance,
    "words said": said,
}


def line(name: str, answerable: Sequence[float], unanswerable: Sequence[float]) -> str:
    found = statistics.auroc(answerable, unanswerable)
    shown = f"  {name:<24}{found.value:.3f}"
    if name != "confidence":
        return shown
    verdict = "met" if found.value >= TARGET else "MISSED"
    return f"{shown}   target ≥ {TARGET}  {verdict}   95 %: {found.low:.3f} to {found.high:.3f}"


async def measured(collection: Collection) -> None:
    answerable = [one for one in collection.questions if one.answerable is True]
    unanswerable = [one for one in collection.questions if one.answerable is False]
    print(
        f"AUROC, {collection.name}: {len(answerable)} questions with judged documents, {len(unanswerable)} unanswerable"
    )
    asked = (*answerable, *unanswerable)
    given = {one.id: await collection.answer(one) for one in asked}
    show_signals(["confidence"], given, answerable, unanswerable)
    enough = [fmean(sufficient(given[one.id]) for one in some) for some in (answerable, unanswerable)]
    print(f"  called sufficient: {enough[0]:.0%} of those with judged documents, {enough[1]:.0%} of the unanswerable")
    print("before the follow-up, beside other signals")
    given = {one.id: await collection.answer(one, follow_ups=0) for one in asked}
    show_signals(list(SIGNALS), given, answerable, unanswerable)
    print()
    costs([(one, given[one.id]) for one in answerable[:TIMED]])


def show_signals(
    names: Sequence[str],
    given: Mapping[str, Answer],
    answerable: Sequence[Question],
    unanswerable: Sequence[Question],
) -> None:
    for name in names:
        values = [[SIGNALS[name](one, given[one.id]) for one in some] for some in (answerable, unanswerable)]
        print(line(name, values[0], values[1]), flush=True)


def sufficient(given: Answer) -> bool:
    return given.judgement is not None and given.judgement.evidence.sufficient


def costs(answers: Sequence[tuple[Question, Answer]]) -> None:
    """CPU time of the two steps for all chunks of a first round."""
    work = [first_round(question, given) for question, given in answers]
    start = process_time()
    for request, found in work:
        extract.answer(request, evidence.judgement(request, found, searched=(), most=8))
    spent = (process_time() - start) * 1000 / len(work)
    size = fmean(sum(len(chunk.text) for chunk in found) for _, found in work)
    note = f"{fmean(len(found) for _, found in work):.0f} chunks with {size:,.0f} characters of text"
    row = Row(name="rules", value=spent, target=CPU_TARGET, unit="ms", note=note)
    show("CPU time of judgement and answer by rules", [row])


def first_round(question: Question, given: Answer) -> tuple[AnswerRequest, list[Chunk]]:
    found = chunks(given)
    return AnswerRequest(messages=question.messages, targets=(found[0].reference.target,), nonce="benchmark"), found


async def main() -> None:
    for collection in collections(NAME):
        await measured(collection)


if __name__ == "__main__":
    asyncio.run(main())
