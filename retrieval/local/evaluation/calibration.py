"""The thresholds for a precision on this index, chosen on half of the questions and read on the other half.

The evidence threshold is a confidence: of the questions at or above it, how many are answerable. The reranker threshold
is a score: of the documents at or above it, how many are gold; a document that nobody judged counts as not gold, so
this precision is a lower bound. Turns of one conversation are in the same half.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from retrieval.compose.calibrations import beside as file_beside
from retrieval.engine import evidence, signals
from retrieval.errors import NotConfigured
from retrieval.local.evaluation import metrics, statistics
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.results import Calibration, Reading, Side
from retrieval.local.evaluation.runs import Result, Run
from retrieval.model import calibration as model

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
FEWEST_KEPT: Final = 10
"""A threshold that keeps fewer values than this is chosen by chance."""

STEPS: Final = 20
"""Between the quantiles that are saved."""

Ranks: TypeAlias = Mapping[str, tuple[float, ...]]

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
    readings: dict[str, Reading] = {}
    ranks = {} if answering is None else _ranks(answering)
    if answering is not None and (found := confidences(answering, ranks, index=index)):
        readings["evidence"] = reading(found, precision=precision, run=answering.name)
    if ranking is not None and (found := scores(ranking)):
        readings["reranker"] = reading(found, precision=precision, run=ranking.name)
    thresholds = {name: one.threshold for name, one in readings.items()}
    return Calibration(
        index=index,
        precision=precision,
        evidence_threshold=thresholds.get("evidence"),
        reranker_threshold=thresholds.get("reranker"),
        signals=_signals(answering, ranking),
        ranks=dict(ranks),
        readings=readings,
    )


def confidences(run: Run, ranks: Ranks, *, index: str) -> list[Scored]:
    """Of the questions that are known to be answerable or not; empty where there are no two kinds.

    With ranks they are what the rules will say once the calibration is saved; a model's judgement stays as it is.
    """
    calibration = model.Calibration(index=index, signals=ranks)
    results = {one.question.id: one for one in run.results}
    answerable, unanswerable = metrics.signals(run)
    if not answerable or not unanswerable:
        return []
    return [
        Scored(
            value=_calibrated(results[id], value, calibration),
            positive=side is answerable,
            chooses=_chooses(results[id].question),
        )
        for side in (answerable, unanswerable)
        for id, value in side.items()
    ]


def _calibrated(result: Result, confidence: float, calibration: model.Calibration) -> float:
    """The confidence by ranks, less where the rules found that something lacks, as they said without ranks."""
    plain = evidence.CERTAIN * signals.together(result.signals, None)
    if not result.signals or not plain:
        return confidence
    return min(confidence / plain, 1.0) * evidence.CERTAIN * signals.together(result.signals, calibration)


def _ranks(run: Run) -> Ranks:
    """Twenty-one quantiles of each signal that is calibrated, of the half of the questions that chooses."""
    known = [one.signals for one in run.results if one.signals and _chooses(one.question)]
    shares = [step / STEPS for step in range(STEPS + 1)]
    return {
        name: tuple(round(statistics.quantile([one.get(name, 0.0) for one in known], share), 4) for share in shares)
        for name in signals.CALIBRATED
        if known
    }


def scores(run: Run) -> list[Scored]:
    """Of all ranked documents of the questions with gold ones."""
    return [
        Scored(value=score, positive=key in one.question.gold, chooses=_chooses(one.question))
        for one in run.results
        if one.question.gold
        for key, score in zip(one.keys, one.scores, strict=True)
        if score is not None
    ]


def reading(scored: Sequence[Scored], *, precision: float, run: str) -> Reading:
    chosen_on = [one for one in scored if one.chooses]
    others = [one for one in scored if not one.chooses]
    threshold = lowest(chosen_on, precision=precision)
    kept = [] if threshold is None else [one for one in others if one.value >= threshold]
    hits, positives = sum(one.positive for one in kept), sum(one.positive for one in others)
    return Reading(
        run=run,
        threshold=threshold,
        precision=statistics.share(hits, len(kept)) if kept else None,
        recall=statistics.share(hits, positives) if threshold is not None and positives else None,
        chosen_on=len(chosen_on),
        positives=sum(one.positive for one in scored) / len(scored),
        curve=_shown(scored),
    )


def lowest(scored: Sequence[Scored], *, precision: float) -> float | None:
    """The lowest value at and above which so many are positives; None where none reaches it with ten values."""
    values, kept, precisions = curve(scored)
    reaching = [
        value
        for value, count, reached in zip(values, kept, precisions, strict=True)
        if count >= FEWEST_KEPT and reached >= precision
    ]
    return min(reaching, default=None)


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
        found |= {"confidenceAnswerable": [*answerable.values()], "confidenceUnanswerable": [*unanswerable.values()]}
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
