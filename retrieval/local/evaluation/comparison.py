"""Runs made into results, and each compared with the first, question by question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.local.evaluation import metrics, statistics
from retrieval.local.evaluation.collections import Collection, Question
from retrieval.local.evaluation.metrics import Values
from retrieval.local.evaluation.results import Difference, Estimate, Latency, RunResult
from retrieval.local.evaluation.runs import Run

AUROC: Final = "AUROC"
MOST_CHANGED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What a run made of a question: its first documents, and their nDCG."""

    run: str
    ndcg: float
    keys: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A question whose nDCG is another in a run than in the first, or than in the same run of the baseline."""

    question: Question
    before: Ranking
    after: Ranking

    @property
    def difference(self) -> float:
        return self.after.ndcg - self.before.ndcg


def compared(collection: Collection, runs: Sequence[Run], *k: int) -> list[RunResult]:
    """The results in the order of the runs; those after the first have differences from it."""
    values = [metrics.of_run(run, *k) for run in runs]
    results = []
    for place, run in enumerate(runs):
        differences = _differences(runs[0], run, values[0], values[place]) if place else {}
        results.append(_result(collection, run, values[place], differences, k=max(k)))
    return results


def most_changed(
    collection: Collection, results: Sequence[RunResult], baseline: Sequence[RunResult] = (), *, k: int
) -> list[Changed]:
    """The questions with the largest differences first, of all runs together."""
    pairs = [(results[0].name, results[0], one) for one in results[1:]]
    pairs += [
        (f"{one.name}, baseline", before, one) for before in baseline for one in results if before.name == one.name
    ]
    found = [
        Changed(question=question, before=before, after=after)
        for name, first, result in pairs
        for question in collection
        if (before := _ranking(first, question, name, k=k)) and (after := _ranking(result, question, result.name, k=k))
    ]
    changed = [one for one in found if one.difference]
    return sorted(changed, key=lambda one: -abs(one.difference))[:MOST_CHANGED]


def _ranking(result: RunResult, question: Question, name: str, *, k: int) -> Ranking | None:
    """None where the run did not rank the question."""
    value = result.values.get(metrics.ndcg(k), {}).get(question.id)
    return None if value is None else Ranking(run=name, ndcg=value, keys=result.ranked.get(question.id, ()))


def _result(
    collection: Collection, run: Run, values: Mapping[str, Values], differences: dict[str, Difference], *, k: int
) -> RunResult:
    seconds = list(values.get(metrics.SECONDS, {}).values())
    answerable, unanswerable = metrics.signals(run)
    measures = {name: statistics.mean(list(found.values())) for name, found in values.items()}
    if answerable and unanswerable:
        measures[AUROC] = statistics.auroc(list(answerable.values()), list(unanswerable.values()))
    return RunResult(
        name=run.name,
        configuration=run.configuration.told,
        measures=measures,
        latency=Latency(p50=statistics.quantile(seconds, 0.5), p95=statistics.quantile(seconds, 0.95))
        if seconds
        else None,
        groups=_groups(collection, values),
        differences=differences,
        errors=run.errors,
        values={name: dict(found) for name, found in values.items()},
        signals={**answerable, **unanswerable},
        ranked={one.question.id: list(one.keys[:k]) for one in run.results},
    )


def _groups(collection: Collection, values: Mapping[str, Values]) -> dict[str, dict[str, dict[str, Estimate]]]:
    """Of each group, the measures that more is better of."""
    quality = {name: found for name, found in values.items() if name not in metrics.COSTS}
    return {
        label: {
            group: {
                name: statistics.mean(chosen)
                for name, found in quality.items()
                if (chosen := [value for id, value in found.items() if id in ids])
            }
            for group, ids in groups.items()
        }
        for label, groups in collection.groups().items()
    }


def _differences(
    first: Run, run: Run, before: Mapping[str, Values], after: Mapping[str, Values]
) -> dict[str, Difference]:
    found = {
        name: difference(before[name], after[name], less_is_better=name in metrics.LESS_IS_BETTER)
        for name in before
        if name in after
    }
    sides = list(zip(metrics.signals(first), metrics.signals(run), strict=True))
    common = [[id for id in one if id in other] for one, other in sides]
    if all(common):
        one, other = (
            [[side[way][id] for id in ids] for side, ids in zip(sides, common, strict=True)] for way in (0, 1)
        )
        estimate = statistics.auroc_difference((one[0], one[1]), (other[0], other[1]))
        found[AUROC] = Difference(**estimate.model_dump(by_alias=False))
    return {name: one for name, one in found.items() if one.n}


def difference(before: Values, after: Values, *, less_is_better: bool = False) -> Difference:
    """Over the questions that both have."""
    changes = [after[id] - before[id] for id in before if id in after]
    if not changes:
        return Difference(value=0.0, n=0)
    estimate = statistics.mean(changes)
    more, less = sum(one > 0 for one in changes), sum(one < 0 for one in changes)
    better, worse = (less, more) if less_is_better else (more, less)
    return Difference(**estimate.model_dump(by_alias=False), better=better, worse=worse)
