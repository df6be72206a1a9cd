"""The answer without a model: whether the answer is in what is shown, whether the best score tells questions with an
answer from those without, and what the list costs.

The measures are those of `eval`. MTRAG labels questions that no document answers; of the other collections the same
questions are asked once more of an index without their gold documents.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final

from retrieval.local import json_lines
from retrieval.local.evaluation import metrics, statistics
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.configurations import parse
from retrieval.local.evaluation.runs import Result, Run, Shown
from retrieval.model.answer import Answer
from retrieval.model.retrieval import ANSWER_LIMITS, RetrievalRequest
from retrieval.writing import answer_by_rules
from tests.benchmarks.collection import Collection, found, loaded
from tests.benchmarks.table import Row, show

NAMES: Final = ("hotpot100", "mtragmini", "scifact")
CPU_TARGET: Final = 9.0
"""Milliseconds: half of what judging and quoting by rules took."""

TIMED: Final = 60
SHOWN_TARGET: Final = 0.75
"""Of HotpotQA's short answers, as many as were within four quotes by rules."""


def result(question: Question, given: Answer) -> Result:
    chunks = {} if given.judgement is None else {one.chunk.id: one.chunk for one in given.judgement.selected}
    texts: dict[str, list[str]] = {}
    for one in given.written.citations:
        texts.setdefault(question.unit(chunks[one.chunk].reference.hit.key), []).append(one.quote or "")
    shown = tuple(Shown(key=key, text="\n".join(quoted)) for key, quoted in texts.items())
    scores = tuple(one.reference.hit.score for one in chunks.values())
    return Result(question=question, seconds=0, shown=shown, scores=scores)


async def results(collection: Collection, asked: Sequence[Question]) -> list[Result]:
    return [result(one, await collection.answer(one)) for one in asked]


def without_gold(questions: Sequence[Question], corpus: Path, folder: Path) -> Path:
    """The documents that are gold for no question."""
    gold = frozenset[str]().union(*(one.gold for one in questions))
    kept = [line.value for line in json_lines.read(corpus) if str(line.value["_id"]) not in gold]
    path = folder / "corpus.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in kept), encoding="utf-8")
    return path


def line(name: str, value: float, note: str = "") -> str:
    return f"  {name:<28}{value:.3f}{note}"


async def main() -> None:
    for collection in found(*NAMES):
        if collection.corpus is None:
            continue
        index = loaded(collection, collection.corpus)
        answerable = await results(index, [one for one in collection if one.answerable])
        print(f"{collection.name}: {len(answerable)} questions with judged documents")
        measured = metrics.of_run(Run(configuration=parse("answer"), results=tuple(answerable)), 10)
        for most in metrics.PASSAGES:
            value, name = fmean(measured[metrics.shown(most)].values()), metrics.shown(most)
            met = collection.name == NAMES[0] and most == max(metrics.PASSAGES)
            verdict = f"   target ≥ {SHOWN_TARGET}  {'met' if value >= SHOWN_TARGET else 'MISSED'}" if met else ""
            print(line(name, value, verdict))
        labelled = [one for one in collection if one.answerable is False]
        if labelled:
            unanswerable = await results(index, labelled)
        else:
            with TemporaryDirectory() as folder:
                rest = loaded(collection, without_gold(collection.questions, collection.corpus, Path(folder)))
                unanswerable = await results(rest, [one.question for one in answerable])
        auroc = statistics.auroc(*([one.top for one in side] for side in (answerable, unanswerable)))
        print(line("AUROC of the best score", auroc.value, f"   95 %: {auroc.low:.3f} to {auroc.high:.3f}"), flush=True)
        print()
        await cost(index, [one.question for one in answerable[:TIMED]])


async def cost(index: Collection, asked: Sequence[Question]) -> None:
    """CPU time of the list for all chunks of a first round."""
    given = [await index.answer(one, follow_ups=0) for one in asked]
    work = [
        (
            RetrievalRequest(
                output="answer",
                limits=ANSWER_LIMITS,
                messages=question.messages,
                targets=(one.chunks[0].reference.target,),
                nonce="n",
            ),
            one.chunks,
        )
        for question, one in zip(asked, given, strict=True)
        if one.chunks
    ]
    start = process_time()
    for request, chunks in work:
        answer_by_rules.answer(request, chunks)
    spent = (process_time() - start) * 1000 / len(work)
    size = fmean(sum(len(chunk.text) for chunk in chunks) for _, chunks in work)

    note = f"{size:,.0f} characters of chunks"
    row = Row(name=index.name, value=spent, target=CPU_TARGET, unit="ms", note=note)
    show("CPU time of the list of passages", [row])


if __name__ == "__main__":
    asyncio.run(main())
