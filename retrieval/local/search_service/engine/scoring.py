"""Applies a scoring profile to the scores of one search.

Weights multiply the scores of fields where text is searched. Functions multiply the score of a document: that of BM25,
the similarity of a vector or what fusion gave, and once more the score of the semantic ranker.
https://learn.microsoft.com/azure/search/search-relevance-overview
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from retrieval.filters import moment
from retrieval.local.search_service.definitions.scoring_profile import (
    Distance,
    Freshness,
    Magnitude,
    ScoringFunction,
    ScoringProfile,
    Tag,
)
from retrieval.local.search_service.engine import scoring_functions
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.scoring_functions import Floats
from retrieval.local.search_service.engine.scoring_values import Rows, ScoringValues
from retrieval.local.search_service.engine.text_index import Scored
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import scoring_parameters
from retrieval.local.search_service.query.options import SearchOptions
from retrieval.local.search_service.query.scoring_parameters import Parameters

_RANKER_HAS_LAST_WORD: Final = frozenset(
    "2023-10-01-preview 2023-11-01 2024-03-01-preview 2024-05-01-preview 2024-07-01 2024-09-01-preview "
    "2024-11-01-preview 2025-03-01-preview".split()
)
"""Versions in which a profile says nothing any more after the semantic ranker:
https://learn.microsoft.com/azure/search/semantic-how-to-enable-scoring-profiles"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A profile with everything that its functions need; without functions it boosts nothing.

    `now` is in seconds since the year 1. `boosts_reranked` says that functions have the last word after the ranker.
    """

    profile: ScoringProfile
    values: ScoringValues
    parameters: Parameters
    now: float
    boosts_reranked: bool

    @property
    def weights(self) -> Mapping[str, float]:
        return self.profile.weights

    @property
    def boosts(self) -> bool:
        return bool(self.profile.functions)

    def multipliers(self, ordinals: Sequence[int]) -> Floats:
        """What the score of each document is multiplied with."""
        if not self.profile.functions:
            return np.ones(len(ordinals))
        rows = self.values.rows(ordinals)
        results = [
            scoring_functions.result(self._nearness(one, rows), one.boost, one.curve) for one in self.profile.functions
        ]
        return scoring_functions.aggregate(results, self.profile.aggregation)

    def _nearness(self, function: ScoringFunction, rows: Rows) -> Floats:
        path = function.path
        match function.measure:
            case Magnitude() as measure:
                return scoring_functions.of_magnitude(self.values.numbers(path, rows), measure)
            case Freshness(duration):
                return scoring_functions.of_age(self.values.numbers(path, rows), self.now, duration)
            case Distance(parameter, kilometres):
                point = scoring_parameters.point(parameter, self.parameters[parameter])
                return scoring_functions.of_distance(*self.values.places(path, rows), point, kilometres)
            case Tag(parameter):
                tagged = self.values.tagged(path, self.parameters[parameter], rows)
                return scoring_functions.of_tags(tagged)

    def best(self, scored: Scored, limit: int | None = None) -> Scored:
        """The best by the scores that the profile gives, in single precision; equal ones stay as they were."""
        scores, order = self._order(scored, limit)
        return [(float(scores[place]), scored[place][1]) for place in order]

    def recalled(self, scored: Scored, limit: int) -> list[int]:
        """The ordinals of the best `limit` by the profile, in the order that they had without it."""
        _, order = self._order(scored, limit)
        return [scored[place][1] for place in sorted(order)]

    def _order(self, scored: Scored, limit: int | None) -> tuple[Floats, list[int]]:
        scores = np.array([score for score, _ in scored], np.float64)
        boosted = self._bounded(scores * self.multipliers([ordinal for _, ordinal in scored]))
        return boosted, _first(boosted, limit).tolist()

    def _bounded(self, scores: Floats) -> Floats:
        largest = scoring_functions.LARGEST
        return np.clip(scores, -largest, largest).astype(np.float32).astype(np.float64)


UNBOOSTED: Final = Scoring(
    profile=ScoringProfile(name=""), values=ScoringValues(()), parameters={}, now=0.0, boosts_reranked=False
)
"""Of a search without a profile."""


def _first(scores: Floats, limit: int | None) -> NDArray[np.intp]:
    """Places of the best, best first, equal ones in their order."""
    return np.argsort(-scores, kind="stable")[:limit]


def read(options: SearchOptions, index: LocalIndex, *, now: datetime, version: str) -> Scoring:
    """Raises InvalidArgument for a profile that the index has not, or parameters that do not fit it.

    A search that names no profile need not know the parameters of the default one: functions without theirs say
    nothing then. The reference calls `scoringParameters` optional, and Microsoft's example of an index has a default
    profile with a distance: https://learn.microsoft.com/rest/api/searchservice/indexes/create
    """
    profile = _profile(options.scoring_profile, index)
    parameters = scoring_parameters.read(options.scoring_parameters or (), profile, whole=bool(options.scoring_profile))
    if profile is None:
        return UNBOOSTED
    profile = profile.given(parameters.keys())
    for function in profile.functions:
        if isinstance(function.measure, Distance):
            scoring_parameters.point(function.measure.parameter, parameters[function.measure.parameter])
    return Scoring(
        profile=profile,
        values=index.scoring_values,
        parameters=parameters,
        now=moment.of(now) / moment.TICKS_A_SECOND,
        boosts_reranked=version.lower() not in _RANKER_HAS_LAST_WORD,
    )


def _profile(name: str | None, index: LocalIndex) -> ScoringProfile | None:
    profiles = index.definition.scoring
    if not name:
        return profiles.default
    if name not in profiles.by_name:
        raise InvalidArgument(f"The scoring profile {name[:128]!r} does not exist in the index {index.name!r}.")
    return profiles.by_name[name]
