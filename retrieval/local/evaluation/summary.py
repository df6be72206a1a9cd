"""An evaluation as lines for a terminal."""

from collections.abc import Iterator
from itertools import product

from retrieval.local.evaluation import metrics
from retrieval.local.evaluation.results import Calibration, Difference, Estimate, Evaluation
from retrieval.text.counted_noun import how_many


def lines(found: Evaluation) -> Iterator[str]:
    """The measures as a table, then the thresholds and the checks."""
    about = found.collection
    asked = how_many(about.questions, "question")
    yield f"{about.name}: {asked}, {about.judged:,} judged, {about.unanswerable:,} unanswerable"
    for k, count in about.more_gold.items():
        more = f"more than {k} gold documents"
        yield f"  {how_many(count, 'question')} with {more}: never all-gold@{k}, nor a recall@{k} of 1"
    width = max(len(run.name) for run in found.runs)
    names = dict.fromkeys(name for run in found.runs for name, one in run.measures.items() if name != metrics.SECONDS)
    for name, run in product(names, found.runs):
        if name in run.measures and (run.measures[name].value or name != metrics.MODEL_CALLS):
            yield f"  {name:<18} {run.name:<{width}}  {_shown(run.measures[name])}{_against(run.differences.get(name))}"
    for run in found.runs:
        failed = f", {how_many(len(run.errors), 'call')} failed" if run.errors else ""
        if run.latency is not None:
            timed = f"p50 {run.latency.p50:.3f} s, p95 {run.latency.p95:.3f} s"
            yield f"  {'latency':<18} {run.name:<{width}}  {timed}{failed}"
    if found.calibration is not None:
        yield from _thresholds(found.calibration)
    for check in found.checks:
        yield f"  {'held' if check.held else 'FAILED':<18} {check.sentence}"


def _shown(one: Estimate) -> str:
    interval = "" if one.low is None or one.high is None else f"   95 %: {one.low:.3f} to {one.high:.3f}"
    return f"{one.value:.3f}{interval}"


def _against(one: Difference | None) -> str:
    if one is None or one.low is None or one.high is None:
        return ""
    changed = f", {one.better} better, {one.worse} worse" if one.better or one.worse else ""
    return f"   {one.value:+.3f} ({one.low:+.3f} to {one.high:+.3f}){changed}"


def _thresholds(found: Calibration) -> Iterator[str]:
    for name, one in found.readings.items():
        if one.threshold is None:
            without = f"without one it is {one.positives:.3f}"
            yield f"  threshold          {name}: none reaches a precision of {found.precision:g}; {without}"
        else:
            read = [
                f"{what} {_shown(value)}"
                for what, value in (("precision", one.precision), ("recall", one.recall))
                if value
            ]
            yield f"  threshold          {name}: {one.threshold:.3f}   {'   '.join(read)}"
