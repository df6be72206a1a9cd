"""A gate for CI: minimums and maximums of measures, and an earlier report that quality must not fall below."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local.evaluation import metrics
from retrieval.local.evaluation.comparison import AUROC, difference
from retrieval.local.evaluation.limits import Limit
from retrieval.local.evaluation.results import Check, Evaluation, RunResult

P50: Final = "p50"
P95: Final = "p95"


def checks(
    found: Evaluation, limits: Iterable[Limit], baseline: Evaluation | None, *, tolerance: float
) -> Iterator[Check]:
    """Raises NotConfigured for a limit of what was not measured, and a baseline of other questions."""
    for limit in limits:
        yield _check_limit(found.runs, limit)
    if baseline is not None:
        yield from _check_baseline(found, baseline, tolerance=tolerance)


def _check_limit(runs: Sequence[RunResult], limit: Limit) -> Check:
    run = next((one for one in runs if one.name == limit.run), None)
    if run is None:
        raise NotConfigured([f"No run is called {limit.run!r}: {', '.join(one.name for one in runs)}."])
    measured = {name: one.value for name, one in run.measures.items()}
    if run.latency is not None:
        measured |= {P50: run.latency.p50, P95: run.latency.p95}
    if limit.measure not in measured:
        raise NotConfigured([f"The run {run.name!r} has no {limit.measure!r}: {', '.join(measured)}."])
    value = measured[limit.measure]
    held = value >= limit.value if limit.side == "minimum" else value <= limit.value
    return Check(sentence=f"{run.name}: {limit.measure} is {value:.4f}, {limit.side} {limit.value:g}", held=held)


def _check_baseline(found: Evaluation, baseline: Evaluation, *, tolerance: float) -> Iterator[Check]:
    """Every quality of the runs that both have, which may fall by the tolerance."""
    _check_same(found, baseline)
    earlier = {run.name: run for run in baseline.runs}
    common = [(earlier[run.name], run) for run in found.runs if run.name in earlier]
    if not common:
        raise NotConfigured([f"The baseline has none of these runs; it has {', '.join(earlier)}."])
    for before, after in common:
        for measure, then in before.measures.items():
            if measure not in after.measures or measure in metrics.COSTS:
                continue
            now = after.measures[measure]
            yield Check(
                sentence=f"{after.name}: {measure} was {then.value:.4f} and is {now.value:.4f}"
                + _changed(before, after, measure),
                held=now.value >= then.value - tolerance,
            )


def _changed(before: RunResult, after: RunResult, measure: str) -> str:
    if measure == AUROC:
        return ""
    found = difference(before.values.get(measure, {}), after.values.get(measure, {}))
    if found.low is None or found.high is None:
        return ""
    return f" ({found.value:+.4f}, 95 %: {found.low:+.4f} to {found.high:+.4f})"


def _check_same(found: Evaluation, baseline: Evaluation) -> None:
    same = found.collection.fingerprint == baseline.collection.fingerprint
    if not same or (found.k, found.last_turn) != (baseline.k, baseline.last_turn):
        raise NotConfigured(
            ["The baseline is of other questions, judgements or places (k); make one with this collection."]
        )
