"""The scores of an answer: each reference has one, and they fall."""

from retrieval.model.model_studio_scores import score
from retrieval.model.retrieval import Reference


def scores(references: tuple[Reference, ...]) -> list[float]:
    """A score for each reference, falling. References without a reranker score have parts of the lowest one, by their
    rank: three of them have 3/4, 2/4 and 1/4 of it."""
    ranker_scores = [score(reference.hit.score) for reference in references if reference.hit.score is not None]
    ceiling, others_count = min(ranker_scores, default=1.0), len(references) - len(ranker_scores)
    return [*ranker_scores, *(ceiling * (1 - rank / (others_count + 1)) for rank in range(1, others_count + 1))]
