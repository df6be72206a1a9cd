"""What retrieve finds without a model: the first ten documents of an effort, beside those of a single query.

The order is that of the ids. The number is stated, with room for all; a line has calls as most clients make them.

Public collections. MTRAG's conversations are asked with all turns and with the last alone, by type of turn; HotpotQA's
questions need two documents each, MuSiQue's up to four; SciFact's need one, so there a follow-up can only do harm. An
oracle planner, whose queries are the titles of the documents that are needed, is the upper bound of what a model may
add. The weights were chosen on these collections, all questions seen: the halves show only the spread.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean
from time import process_time
from typing import Final

from retrieval.call.ports import Ports
from retrieval.local.evaluation import metrics
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.configurations import Configuration
from retrieval.local.evaluation.runs import Result, Run
from retrieval.model.activity import SearchActivity
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import USUAL_DOCUMENTS, Limits, Outcome, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.ports import Hear
from retrieval.retrieve import retrieve_documents, search_for_names
from retrieval.retrieve.search_for_names import linked_documents
from tests.benchmarks.collection import NOON, Collection, collections
from tests.benchmarks.table import Row, show

ALL_GOLD, RECALL, NDCG = "all-gold@10", "recall@10", "nDCG@10"
MEASURES: Final = ("recall@5", "all-gold@8", ALL_GOLD, NDCG)
HOTPOT_TARGETS: Final = {"recall@5": 0.87, "all-gold@8": 0.87, ALL_GOLD: 0.97}
MUSIQUE_TARGETS: Final = {ALL_GOLD: 0.45}
SPREAD: Final = 0.04
"""What the recall of HotpotQA's halves may differ by."""
MTRAG_TARGET: Final = 0.86
FOLLOWED_TARGET: Final = 0.3
CPU_TARGET: Final = 3.0
REPEATED: Final = 5
TURNS: Final = "mt"


class Oracle:
    """A planner that names every document that is needed."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._queries = [title for title in titles if title]

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        return Reply(text=json.dumps({"queries": self._queries}), input_tokens=0, output_tokens=0)


TEN: Final[Mapping[Effort, int]] = {"minimal": 10, "low": 10, "medium": 10}
MEASURED: Final = Limits(usual_documents=TEN, output_tokens=1_000_000, runtime=60)
AS_CLIENTS_CALL: Final = Limits(usual_documents=USUAL_DOCUMENTS, output_tokens=5_000, runtime=60)
EVERYTHING: Final = Limits(output_tokens=1_000_000, runtime=60)


async def retrieved(
    collection: Collection,
    question: Question,
    effort: Effort,
    *,
    last: bool = False,
    oracle: bool = False,
    limits: Limits = MEASURED,
) -> Outcome:
    request = RetrievalRequest(
        messages=question.messages[-1:] if last else question.messages,
        targets=(SearchTarget(index=collection.name, threshold=0),),
        effort=effort,
        limits=limits,
        references="grounded",
    )
    model = Oracle(sorted(question.gold)) if oracle else None
    return await retrieve_documents.retrieve(request, Ports(index=collection.index, model=model, clock=lambda: NOON))


async def run(
    collection: Collection,
    name: str,
    effort: Effort,
    *,
    last: bool = False,
    oracle: bool = False,
    limits: Limits = MEASURED,
) -> tuple[Run, float]:
    """The run, and the share of questions that were followed up."""
    judged = [one for one in collection.questions if one.gold]
    given = [await retrieved(collection, one, effort, last=last, oracle=oracle, limits=limits) for one in judged]
    results = tuple(
        Result(question=question, seconds=0.0, keys=tuple(one.hit.key for one in outcome.references))
        for question, outcome in zip(judged, given, strict=True)
    )
    followed = fmean(any(_is_follow_up(one) for one in outcome.activity) for outcome in given)
    return Run(configuration=Configuration(name=name, kind=effort), results=results), followed


def _is_follow_up(record: object) -> bool:
    return isinstance(record, SearchActivity) and not record.searched.subquery.target.recall.rerank


def one_half(question: Question) -> bool:
    """By the first turn, so that a conversation is not on both sides."""
    return hashlib.sha256(question.messages[0].text.encode()).digest()[0] % 2 == 0


def other_half(question: Question) -> bool:
    return not one_half(question)


def line(found: Run, followed: float = 0.0, verdict: str = "") -> str:
    shown = "   ".join(_measured(found, measure) for measure in MEASURES)
    return f"  {found.name:<18}{shown}   followed up {followed:4.0%}   {verdict}".rstrip()


def _measured(found: Run, measure: str) -> str:
    halves = " ".join(f"{of(found, measure, half):.3f}" for half in (one_half, other_half))
    return f"{measure} {of(found, measure):.3f} ({halves})"


def of(found: Run, measure: str, some: Callable[[Question], bool] = lambda question: True) -> float:
    kept = {one.question.id for one in found.results if some(one.question)}
    values = metrics.of_run(found, int(measure.partition("@")[2]))[measure]
    return fmean(value for id, value in values.items() if id in kept)


def met(held: bool, target: str) -> str:
    return f"target {target}  {'met' if held else 'MISSED'}"


def reached(found: Run, targets: Mapping[str, float]) -> str:
    held = all(of(found, measure) >= target for measure, target in targets.items())
    return met(held, ", ".join(f"{measure} ≥ {target}" for measure, target in targets.items()))


async def several_documents(collection: Collection, targets: Mapping[str, float]) -> Run:
    print(f"retrieve, {collection.name}")
    print(line((await run(collection, "single query", "minimal"))[0]))
    auto, followed = await run(collection, "auto", "auto")
    print(line(auto, followed, reached(auto, targets)))
    print(line(*await run(collection, "auto, as clients", "auto", limits=AS_CLIENTS_CALL)))
    return auto


async def one_document(collection: Collection) -> None:
    print(f"retrieve, {collection.name}")
    single, _ = await run(collection, "single query", "minimal")
    print(line(single))
    auto, followed = await run(collection, "auto", "auto")
    held = of(auto, NDCG) >= of(single, NDCG) and followed <= FOLLOWED_TARGET
    print(line(auto, followed, met(held, f"{NDCG} not below, followed up ≤ {FOLLOWED_TARGET:.0%}")))
    print()


async def conversations(collection: Collection) -> None:
    print(f"retrieve, {collection.name}: conversations")
    last, _ = await run(collection, "last turn, auto", "auto", last=True)
    print(line(last))
    whole, followed = await run(collection, "all turns, auto", "auto")
    print(line(whole, followed, met(of(whole, RECALL) >= MTRAG_TARGET, f"{RECALL} ≥ {MTRAG_TARGET}")))
    print(line(*await run(collection, "all, as clients", "auto", limits=AS_CLIENTS_CALL)))
    kinds = sorted({one.labels[TURNS] for one in collection.questions if one.gold and TURNS in one.labels})
    for kind in kinds:
        of_kind = partial(_is_of, kind=kind)
        before, after = of(last, RECALL, of_kind), of(whole, RECALL, of_kind)
        print(f"    {kind:<26}{RECALL} {before:.3f} → {after:.3f}   {met(after >= before, 'not below the last turn')}")
    print()


def _is_of(question: Question, *, kind: str) -> bool:
    return question.labels.get(TURNS) == kind


async def costs(collection: Collection) -> None:
    """CPU time of a follow-up beyond its search: its names, and the links of what it found."""
    judged = [one for one in collection.questions if one.gold]
    first = [(one.text, (await retrieved(collection, one, "minimal", limits=EVERYTHING)).references) for one in judged]
    first = [(text, found) for text, found in first if search_for_names.relates(text)]
    leads = [(found, asked) for text, found in first if (asked := search_for_names.lead(text, found)) is not None]
    start = process_time()
    for _ in range(REPEATED):
        for text, found in first:
            search_for_names.relates(text)
            search_for_names.lead(text, found)
        for found, asked in leads:
            linked_documents(asked, found, found)
    spent = (process_time() - start) * 1000 / (REPEATED * len(leads))
    note = f"{len(leads)} follow-ups after {fmean(len(found) for found, _ in leads):.0f} documents each"
    show(
        "CPU time of a follow-up beyond its search",
        [Row(name="rules", value=spent, target=CPU_TARGET, unit="ms", note=note)],
    )


async def main() -> None:
    for collection in collections("hotpot100"):
        auto = await several_documents(collection, HOTPOT_TARGETS)
        apart = abs(of(auto, "recall@5", one_half) - of(auto, "recall@5", other_half))
        print(line((await run(collection, "an oracle plans", "low", oracle=True))[0]))
        print(f"    the halves' recall@5 differs by {apart:.3f}   {met(apart <= SPREAD, f'≤ {SPREAD}')}\n")
    for collection in collections("musique50"):
        await several_documents(collection, MUSIQUE_TARGETS)
        print()
    for collection in collections("scifact"):
        await one_document(collection)
    for collection in collections("mtragmini"):
        await conversations(collection)
    for collection in collections("hotpot100"):
        await costs(collection)


if __name__ == "__main__":
    asyncio.run(main())
