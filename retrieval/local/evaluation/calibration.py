"""The thresholds for a precision on this index, chosen on half of the questions and read on the other half.

The evidence threshold is a model's confidence, or the best score where nobody judged: of the questions at or above it,
how many are answerable, in the lower end of the interval. The reranker threshold is a score: of the documents at or
above it, how many are gold; a document that nobody judged counts as not gold, so this precision is a lower bound. Turns
of one conversation are in the same half.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from scipy.optimize import isotonic_regression

from retrieval.compose.definitions import beside as file_beside
from retrieval.errors import NotConfigured
from retrieval.local.evaluation import metrics, statistics
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.results import Calibration, Side, ThresholdReading
from retrieval.local.evaluation.runs import Run

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
FEWEST_KEPT: Final = 10
"""A threshold that keeps fewer values than this is chosen by chance."""

SHOWN: Final = 100
"""Points of a curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A value, whether it belongs to a positive, and whether its question is of the half that chooses."""

    value: float
    positive: bool
    chooses: bool


def calibrate(runs: Sequence[Run], *, index: str, precision: float) -> Calibration:
    """By the first run that answers, and the retrieval with the lowest threshold."""
    answering = next((run for run in runs if run.configuration.is_answer), None)
    ranking = min(
        (run for run in runs if not run.configuration.is_answer),
        key=lambda run: run.configuration.threshold or 0.0,
        default=None,
    )
    readings: dict[str, ThresholdReading] = {}
    found = [] if answering is None else evidence(answering)
    if answering is not None and found:
        readings["evidence"] = reading(found, precision=precision, run=answering.name, bound=True)
    if ranking is not None and (ranked := scores(ranking)):
        readings["reranker"] = reading(ranked, precision=precision, run=ranking.name)
    thresholds = {name: one.threshold for name, one in readings.items()}
    judged = answering is not None and any(one.confidence is not None for one in answering.results)
    return Calibration(
        index=index,
        precision=precision,
        evidence_threshold=thresholds.get("evidence"),
        reranker_threshold=thresholds.get("reranker"),
        signals=_signals(answering, ranking),
        probabilities=[] if judged else probabilities(found),
        readings=readings,
    )


def evidence(run: Run) -> list[Scored]:
    """What tells the questions that are known to be answerable from those that are not: a model's confidence, or the
    best score where nobody judged; empty where there are no two kinds."""
    asked = {one.question.id: one.question for one in run.results}
    answerable, unanswerable = metrics.signals(run)
    if not answerable or not unanswerable:
        return []
    return [
        Scored(value=value, positive=side is answerable, chooses=_chooses(asked[id]))
        for side in (answerable, unanswerable)
        for id, value in side.items()
    ]


def probabilities(scored: Sequence[Scored]) -> list[tuple[float, float]]:
    """How likely a question has an answer from each score on: isotonic regression on the half that chooses."""
    order = sorted((one for one in scored if one.chooses), key=lambda one: one.value)
    if not order:
        return []
    fitted = isotonic_regression([float(one.positive) for one in order]).x
    steps = zip(order, fitted.tolist(), strict=True)
    rising = {round(share, 3): round(one.value, 4) for one, share in reversed(list(steps))}
    return sorted((score, share) for share, score in rising.items())


def scores(run: Run) -> list[Scored]:
    """Of all ranked documents of the questions with gold ones."""
    return [
        Scored(value=score, positive=key in one.question.gold, chooses=_chooses(one.question))
        for one in run.results
        if one.question.gold
        for key, score in zip(one.keys, one.scores, strict=True)
        if score is not None
    ]


def reading(scored: Sequence[Scored], *, precision: float, run: str, bound: bool = False) -> ThresholdReading:
    chosen_on = [one for one in scored if one.chooses]
    others = [one for one in scored if not one.chooses]
    threshold = lowest(chosen_on, precision=precision, bound=bound)
    kept = [] if threshold is None else [one for one in others if one.value >= threshold]
    hits, positives = sum(one.positive for one in kept), sum(one.positive for one in others)
    return ThresholdReading(
        run=run,
        threshold=threshold,
        precision=statistics.share(hits, len(kept)) if kept else None,
        recall=statistics.share(hits, positives) if threshold is not None and positives else None,
        chosen_on=len(chosen_on),
        positives=sum(one.positive for one in scored) / len(scored),
        curve=_shown(scored),
    )


def lowest(scored: Sequence[Scored], *, precision: float, bound: bool = False) -> float | None:
    """The lowest value at and above which so many are positives, or surely are (`bound`: the lower end of the 95 %
    interval); None where none reaches it with ten values."""
    values, kept, precisions = curve(scored)
    reaching = [
        value
        for value, count, reached in zip(values, kept, precisions, strict=True)
        if count >= FEWEST_KEPT and (_surely(reached, count) if bound else reached) >= precision
    ]
    return min(reaching, default=None)


def _surely(reached: float, count: int) -> float:
    return statistics.share(round(reached * count), count).low or 0.0


def curve(scored: Sequence[Scored]) -> tuple[list[float], list[int], list[float]]:
    """Each distinct value, falling, with how many are at or above it, and the share of positives of these."""
    order = sorted(scored, key=lambda one: -one.value)
    values = np.array([one.value for one in order])
    hits = np.cumsum([one.positive for one in order])
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True)) if order else np.array([], dtype=int)
    return values[last].tolist(), (last + 1).tolist(), (hits[last] / (last + 1)).tolist()


def _shown(scored: Sequence[Scored]) -> list[tuple[float, float, float]]:
    """The curve at no more than a hundred of its thresholds, from the lowest up."""
    values, kept, precisions = curve(scored)
    positives = max(sum(one.positive for one in scored), 1)
    points = [
        (value, precision, count * precision / positives)
        for value, count, precision in zip(values, kept, precisions, strict=True)
    ]
    return points[:: -max(len(points) // SHOWN, 1)]


def save(path: Path, found: Calibration) -> Path:
    """Beside a file of definitions, under the index's name; those of other indexes stay. Raises NotConfigured."""
    beside = file_beside(path)
    try:
        kept = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}
        if not isinstance(kept, dict):
            raise ValueError("not a JSON object")
        kept[found.index] = found.model_dump(mode="json", exclude={"readings"})
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise NotConfigured([f"{beside} cannot be written: {error}."]) from None
    return beside


def _chooses(question: Question) -> bool:
    """By the first turn, so that a conversation is not on both sides; the same in every run."""
    return hashlib.sha256(question.messages[0].text.encode()).digest()[0] % 2 == 0


def _signals(answering: Run | None, ranking: Run | None) -> dict[str, Side]:
    found: dict[str, list[float]] = {}
    if answering is not None:
        answerable, unanswerable = metrics.signals(answering)
        found |= {"evidenceAnswerable": [*answerable.values()], "evidenceUnanswerable": [*unanswerable.values()]}
    if ranking is not None:
        ranked = scores(ranking)
        found["topScore"] = [one.top for one in ranking.results if one.error is None]
        found["scoreGold"] = [one.value for one in ranked if one.positive]
        found["scoreOther"] = [one.value for one in ranked if not one.positive]
    return {name: _side(values) for name, values in found.items() if values}


def _side(values: Iterable[float]) -> Side:
    given = list(values)
    low, lower, middle, upper, high = (round(statistics.quantile(given, share), 4) for share in QUANTILES)
    return Side(quantiles=(low, lower, middle, upper, high), n=len(given))
