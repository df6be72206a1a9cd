"""A gate for CI: minimums and maximums of measures, and an earlier report that quality must not fall below."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local.evaluation import metrics
from retrieval.local.evaluation.comparison import difference
from retrieval.local.evaluation.limits import Limit
from retrieval.local.evaluation.results import Check, Evaluation, RunResult

P50: Final = "p50"
P95: Final = "p95"


def check_same(baseline: Evaluation, *, fingerprint: str, k: int, last_turn: bool) -> None:
    """Raises NotConfigured for a baseline of other questions, or of other places."""
    if (baseline.collection.fingerprint, baseline.k, baseline.last_turn) != (fingerprint, k, last_turn):
        reason = "The baseline is of other questions, judgements, turns or places (k); make one with this collection."
        raise NotConfigured([reason])


def checks(
    found: Evaluation, limits: Iterable[Limit], baseline: Evaluation | None, *, tolerance: float
) -> Iterator[Check]:
    """What was not measured does not hold."""
    for limit in limits:
        yield _check_limit(found.runs, limit)
    if baseline is not None:
        yield from _check_baseline(found, baseline, tolerance=tolerance)


def _check_limit(runs: Sequence[RunResult], limit: Limit) -> Check:
    run = next((one for one in runs if one.name == limit.run), None)
    measured = {} if run is None else {name: one.value for name, one in run.measures.items()}
    if run is not None and run.latency is not None:
        measured |= {P50: run.latency.p50, P95: run.latency.p95}
    value = measured.get(limit.measure)
    if value is None:
        has = ", ".join(measured) or "nothing"
        return Check(sentence=f"{limit.run}: {limit.measure} was not measured; it has {has}", held=False)
    held = value >= limit.value if limit.side == "minimum" else value <= limit.value
    return Check(sentence=f"{limit.run}: {limit.measure} is {value:.4f}, {limit.side} {limit.value:g}", held=held)


def _check_baseline(found: Evaluation, baseline: Evaluation, *, tolerance: float) -> Iterator[Check]:
    """Every quality that the baseline has of these runs, which may fall by the tolerance."""
    earlier = {run.name: run for run in baseline.runs}
    common = [(earlier[run.name], run) for run in found.runs if run.name in earlier]
    if not common:
        yield Check(sentence=f"The baseline has none of these runs; it has {', '.join(earlier)}", held=False)
    for before, after in common:
        for measure in before.measures:
            if measure not in metrics.COSTS:
                yield _check_quality(before, after, measure, tolerance=tolerance)


def _check_quality(before: RunResult, after: RunResult, measure: str, *, tolerance: float) -> Check:
    then, now = before.measures[measure], after.measures.get(measure)
    if now is None:
        return Check(sentence=f"{after.name}: {measure} was {then.value:.4f} and was not measured", held=False)
    sentence = f"{after.name}: {measure} was {then.value:.4f} and is {now.value:.4f}{_changed(before, after, measure)}"
    worse = now.value - then.value if measure in metrics.LESS_IS_BETTER else then.value - now.value
    return Check(sentence=sentence, held=worse <= tolerance)


def _changed(before: RunResult, after: RunResult, measure: str) -> str:
    found = difference(before.values.get(measure, {}), after.values.get(measure, {}))
    if found.low is None or found.high is None:
        return ""
    return f" ({found.value:+.4f}, 95 %: {found.low:+.4f} to {found.high:+.4f})"
