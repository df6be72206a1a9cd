"""What the semantic ranker is given of a search: the documents that were found, each part of them when it asks."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.local.search_service.definitions.index import SemanticConfiguration
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.recall import Recalled
from retrieval.local.search_service.models import lexical_ranker
from retrieval.local.search_service.models.ports import Candidates
from retrieval.local.search_service.query.options import SearchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Documents with what the search before the ranker scored them, in its order."""

    ordinals: Sequence[int]
    scores: Sequence[float]
    recalled: Recalled


def scores(
    index: LocalIndex, options: SearchOptions, found: Found, *, question: str, configuration: SemanticConfiguration
) -> list[float]:
    """One from 0 to 4 for each. Raises ModelFailed."""
    documents = [(ordinal, index.document(ordinal)) for ordinal in found.ordinals]
    read = (*configuration.heading, *configuration.content)

    def words() -> list[float]:
        scored = index.rankers[configuration.name].scores(question, documents)
        weighed = options.query_type == "full" and options.semantic_query and options.search
        keeps_order = weighed or (lexical_ranker.is_long(question) and options.search == question)
        return lexical_ranker.with_order(scored, _by_search(index, found)) if keeps_order else scored

    return index.models.ranker.scores(
        question,
        Candidates(
            words=words,
            near=lambda: index.near(_meant(options) or question, found.ordinals),
            texts=lambda: ["\n".join(lexical_ranker.read_texts(document, read)) for _, document in documents],
        ),
    )


def _by_search(index: LocalIndex, found: Found) -> Sequence[float]:
    """The scores of the search; with a model those of its text alone, since the ranker reads the vectors itself."""
    if index.models.dimensions is None or found.recalled.text is None:
        return found.scores
    by_text = {ordinal: score for score, ordinal in found.recalled.text}
    return [by_text.get(ordinal, 0.0) for ordinal in found.ordinals]


def _meant(options: SearchOptions) -> str | None:
    """The text of the first vector query that has one: its vector is there already."""
    return next((one["text"] for one in options.vector_queries or () if one.get("text")), None)
