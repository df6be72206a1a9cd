"""The scores of an answer: each reference has one, and they fall."""

from retrieval.model.model_studio_scores import score
from retrieval.model.retrieval import Reference


def scores(references: tuple[Reference, ...]) -> list[float]:
    """A score for each reference, falling. Those without a reranker score share what is left below the last that has
    one, by their rank: 3/4, 2/4 and 1/4 of it for three of them."""
    ranked = [score(reference.hit.score) for reference in references if reference.hit.score is not None]
    ceiling, others = min(ranked, default=1.0), len(references) - len(ranked)
    return [*ranked, *(ceiling * (1 - rank / (others + 1)) for rank in range(1, others + 1))]
