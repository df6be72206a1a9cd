"""The results of the parts of one search with vector queries, and their fusion."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.local.search_service.engine import fusion, vector_scores
from retrieval.local.search_service.engine.fusion import Ranking
from retrieval.local.search_service.engine.text_index import Scored
from retrieval.local.search_service.engine.vector_search import ScoreRule, VectorAsk
from retrieval.local.search_service.engine.vectors import Neighbours


@dataclass(frozen=True, slots=True)
class Recalled:
    """The text matches, None without search text, and the list that each of `asks` found."""

    text: Scored | None
    asks: Sequence[VectorAsk] = ()
    lists: Sequence[Neighbours] = ()

    def fused(self, rule: ScoreRule) -> Scored:
        """All that was found, best first; `rule` is for one list without search text."""
        if not self.asks:
            return self.text or []
        if self.text is None and len(self.lists) == 1 and rule == "similarity":
            metric = self.asks[0].metric
            return [(vector_scores.search_score(likeness, metric), ordinal) for likeness, ordinal in self.lists[0]]
        rankings = [
            Ranking([ordinal for _, ordinal in found], ask.weight)
            for ask, found in zip(self.asks, self.lists, strict=True)
        ]
        return fusion.fuse(rankings if self.text is None else [_ranking(self.text), *rankings])


def _ranking(text: Scored) -> Ranking:
    return Ranking([ordinal for _, ordinal in text])
