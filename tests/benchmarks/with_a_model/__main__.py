"""Retrieve with a model, each way of working beside the others, over questions of four public collections.

Every question of MuSiQue, every second of HotpotQA, later turns of MTRAG, and sixty claims of SciFact, which need one
document each; all were chosen before anybody looked. The replies were written from each prompt alone by capable readers
who had seen neither gold nor documents. They have no latency. A reply for `auto` serves `medium` too, where the prompts
differ in the most queries alone; at `low` it lost its `next` and got the question as its last query. `--missing FOLDER`
writes the prompts that have no reply.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Final

from retrieval.call.ports import Ports
from retrieval.local.evaluation import metrics, statistics
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.configurations import Configuration
from retrieval.local.evaluation.runs import Result, Run
from retrieval.model.activity import StepActivity
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import USUAL_DOCUMENTS, Limits, Outcome, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.retrieve import retrieve_documents
from tests.benchmarks.collection import FOLDER, NOON, Collection, collections
from tests.benchmarks.with_a_model import replayed
from tests.benchmarks.with_a_model.replayed import Replayed

HOPS: Final = ("hotpot100", "musique50")
EACH: Final[Mapping[str, int]] = {"hotpot100": 2, "musique50": 1, "mtragmini": 1, "scifact": 5}
"""Of each collection every so many-th question with gold."""
MOST: Final = 60
TURNS: Final = FOLDER.parent / "tools" / "replies" / "turns.json"
"""The ids of the later turns of MTRAG that are asked."""

TEN: Final[Mapping[Effort, int]] = {"minimal": 10, "low": 10, "medium": 10}
MEASURED: Final = Limits(usual_documents=TEN, output_tokens=1_000_000, runtime=60)
AS_CLIENTS_CALL: Final = Limits(usual_documents=USUAL_DOCUMENTS, output_tokens=5_000, runtime=60)
WAYS: Final[Mapping[str, tuple[Effort, bool, Limits]]] = {
    "one query": ("minimal", False, MEASURED),
    "no model, auto": ("auto", False, MEASURED),
    "model, low": ("low", True, MEASURED),
    "model, auto": ("auto", True, MEASURED),
    "model, medium": ("medium", True, MEASURED),
    "auto, as clients": ("auto", True, AS_CLIENTS_CALL),
    "medium, as clients": ("medium", True, AS_CLIENTS_CALL),
}
"""The effort, whether a model is asked, and the number and size: ten documents of any size, or as most clients call,
where only what a model called sufficient is handed on. The order is that of the ids."""
PAIRS: Final = (
    ("one query", "model, auto"),
    ("no model, auto", "model, auto"),
    ("model, low", "model, auto"),
    ("one query", "model, medium"),
    ("no model, auto", "model, medium"),
    ("model, auto", "model, medium"),
)

Values = Mapping[str, Mapping[str, float]]
MEASURES: Final = ("R@5", "R@10", "all@8", "all@10", "nDCG@10")


def sample(collection: Collection) -> Sequence[Question]:
    """The questions that are asked: of MTRAG the later turns of `TURNS`, where the file is there."""
    questions = [question for question in collection.questions if question.gold]
    if collection.name == "mtragmini" and TURNS.is_file():
        ids = {id for half in json.loads(TURNS.read_text(encoding="utf-8")).values() for id in half}
        questions = [question for question in questions if question.id in ids]
    return questions[:: EACH[collection.name]][:MOST]


async def retrieved(
    collection: Collection, question: Question, effort: Effort, model: Replayed | None, limits: Limits = MEASURED
) -> Outcome:
    request = RetrievalRequest(
        messages=question.messages,
        targets=(SearchTarget(index=collection.name, threshold=0),),
        effort=effort,
        limits=limits,
        references="grounded",
        grounds_everything=limits is MEASURED,
        nonce="benchmark",
    )
    return await retrieve_documents.retrieve(
        request,
        Ports(index=collection.index, model=model, clock=lambda: NOON, facets=collection.index, values_shown=True),
    )


async def measured(collection: Collection, way: str, model: Replayed) -> Values:
    """By measure, the value of each question."""
    effort, planned, limits = WAYS[way]
    questions = sample(collection)
    outcomes = [await retrieved(collection, one, effort, model if planned else None, limits) for one in questions]
    results = tuple(
        Result(question=question, seconds=0.0, keys=tuple(one.hit.key for one in outcome.references))
        for question, outcome in zip(questions, outcomes, strict=True)
    )
    calls = [one for outcome in outcomes for one in outcome.activity if isinstance(one, StepActivity)]
    if calls:
        tokens = (sum(one.input_tokens or 0 for one in calls), sum(one.output_tokens or 0 for one in calls))
        failed = sum(one.error is not None for one in calls)
        print(
            f"  {collection.name}, {way}: {len(calls) / len(questions):.2f} model calls a question, "
            f"{tokens[0] / len(questions):,.0f} tokens in, {tokens[1] / len(questions):,.0f} out, "
            f"{failed} without reply"
        )
    if limits is AS_CLIENTS_CALL:
        print(handed_on(collection.name, way, questions, outcomes))
    return values_of(Run(configuration=Configuration(name=way, kind=effort), results=results))


def handed_on(name: str, way: str, questions: Sequence[Question], outcomes: Sequence[Outcome]) -> str:
    """Of the calls in which documents were not needed: the median of those that were handed on, and for how many
    questions a document of the gold is among them."""
    cut = [pair for pair in zip(questions, outcomes, strict=True) if pair[1].dropped.get("not needed")]
    most = median([len(outcome.references) for _, outcome in cut]) if cut else 0
    any_gold = sum(any(one.hit.key in question.gold for one in outcome.references) for question, outcome in cut)
    return f"  {name}, {way}: {len(cut)} calls cut, {most:g} documents in the median, gold in {any_gold}"


def values_of(run: Run) -> Values:
    """By measure, the value of each question of a run."""
    five, eight, ten = (metrics.of_run(run, k) for k in (5, 8, 10))
    return {
        "R@5": five["recall@5"],
        "R@10": ten["recall@10"],
        "all@8": eight["all-gold@8"],
        "all@10": ten["all-gold@10"],
        "nDCG@10": ten["nDCG@10"],
    }


def line(name: str, values: Mapping[str, Values], names: Sequence[str]) -> str:
    means = [f"{100 * fmean(_together(values, measure, names)):5.1f}" for measure in MEASURES]
    return f"    {name:<18}{'  '.join(means)}"


def difference(values: Mapping[str, Mapping[str, Values]], names: Sequence[str], pair: tuple[str, str]) -> str:
    """The paired bootstrap over questions, in points."""
    shown = []
    for measure in MEASURES:
        first, second = (_together(values[way], measure, names) for way in pair)
        found = statistics.mean([b - a for a, b in zip(first, second, strict=True)])
        low, high = (100 * (bound or 0.0) for bound in (found.low, found.high))
        shown.append(f"{measure} {100 * found.value:+.1f} [{low:+.0f}, {high:+.0f}]")
    return f"    {pair[1]} − {pair[0]}: {', '.join(shown)}"


def _together(values: Mapping[str, Values], measure: str, names: Sequence[str]) -> list[float]:
    return [value for name in names for _, value in sorted(values[name][measure].items())]


def table(values: Mapping[str, Mapping[str, Values]], names: Sequence[str]) -> None:
    print(f"  {' and '.join(names)}{'':<4}{'  '.join(MEASURES)}")
    for way in WAYS:
        print(line(way, values[way], names))
    for pair in PAIRS:
        print(difference(values, names, pair))
    print()


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.with_a_model")
    parser.add_argument("--add", type=Path, metavar="FOLDER", help="replies to add, a file each")
    parser.add_argument("--missing", type=Path, help="a folder for the prompts that have no reply")
    arguments = parser.parse_args()
    print("retrieve with a model, its replies replayed")
    model = Replayed(replies=replayed.replies(added=arguments.add))
    values: dict[str, dict[str, Values]] = {way: {} for way in WAYS}
    for collection in collections(*EACH):
        for way in WAYS:
            values[way][collection.name] = await measured(collection, way, model)
    if len(values["one query"]) == len(EACH):
        for names in (("hotpot100",), ("musique50",), HOPS, ("mtragmini",), ("scifact",)):
            table(values, names)
    print(f"  prompts without a reply: {len(model.missing)}")
    if arguments.missing is not None:
        replayed.write(model.missing, arguments.missing)


if __name__ == "__main__":
    asyncio.run(main())
