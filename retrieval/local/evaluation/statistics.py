"""Means, AUROCs and their 95 % intervals, by SciPy's bootstrap over questions."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from retrieval.local.evaluation.results import Estimate

RESAMPLES: Final = 2_000
CONFIDENCE: Final = 0.95
SEED: Final = 1
FEWEST: Final = 2
"""Questions for an interval."""

Floats = NDArray[Any]


def mean(values: Sequence[float]) -> Estimate:
    """Also of differences, which makes it the paired bootstrap."""
    given = np.asarray(values, dtype=float)
    low, high = _interval((given,), _mean) if len(given) >= FEWEST else (None, None)
    return Estimate(value=float(given.mean()), low=low, high=high, n=len(given))


def quantile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(np.asarray(values, dtype=float), share))


def auroc(positive: Sequence[float], negative: Sequence[float]) -> Estimate:
    """How often a positive is above a negative; ties count half, as in the U of Mann and Whitney."""
    sides = np.asarray(positive, dtype=float), np.asarray(negative, dtype=float)
    low, high = _interval(sides, auroc_of) if min(map(len, sides)) >= FEWEST else (None, None)
    return Estimate(value=float(auroc_of(*sides)), low=low, high=high, n=sum(map(len, sides)))


def auroc_difference(
    first: tuple[Sequence[float], Sequence[float]], second: tuple[Sequence[float], Sequence[float]]
) -> Estimate:
    """Of two runs over the same questions, each the positives and the negatives in the same order."""
    pairs = [np.stack([np.asarray(one), np.asarray(other)]) for one, other in zip(first, second, strict=True)]
    places: list[Floats] = [np.arange(pair.shape[1]) for pair in pairs]

    def difference(positive: Floats, negative: Floats, axis: int = -1) -> Floats:
        before, after = (
            auroc_of(pairs[0][run][positive.astype(int)], pairs[1][run][negative.astype(int)], axis=axis)
            for run in (0, 1)
        )
        return after - before

    low, high = _interval(places, difference) if min(map(len, places)) >= FEWEST else (None, None)
    return Estimate(value=float(difference(places[0], places[1])), low=low, high=high, n=sum(map(len, places)))


def share(part: int, whole: int) -> Estimate:
    """A proportion with its Wilson interval."""
    if not whole:
        return Estimate(value=0.0, low=None, high=None, n=0)
    found = stats.binomtest(part, whole).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(value=part / whole, low=float(found.low), high=float(found.high), n=whole)


def _mean(values: Floats, axis: int = -1) -> Floats:
    return np.asarray(values.mean(axis=axis))


def auroc_of(positive: Floats, negative: Floats, axis: int = -1) -> Floats:
    """Along an axis, as the bootstrap asks for it."""
    found = stats.mannwhitneyu(positive, negative, axis=axis, method="asymptotic").statistic
    return np.asarray(found / (positive.shape[axis] * negative.shape[axis]))


def _interval(samples: Sequence[Floats], statistic: Callable[..., Floats]) -> tuple[float, float]:
    """The middle 95 % of the statistics of resampled questions."""
    found = stats.bootstrap(
        tuple(samples),
        statistic,
        n_resamples=RESAMPLES,
        batch=100,
        vectorized=True,
        axis=-1,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)
