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
    """Documents in the order of the search before the ranker, and what that recalled."""

    ordinals: Sequence[int]
    recalled: Recalled


def scores(
    index: LocalIndex, options: SearchOptions, found: Found, *, question: str, configuration: SemanticConfiguration
) -> list[float]:
    """One from 0 to 4 for each. Raises ModelFailed."""
    documents = [(ordinal, index.document(ordinal)) for ordinal in found.ordinals]
    read = (*configuration.heading, *configuration.content)

    def words() -> list[float]:
        scored = index.rankers[configuration.name].scores(question, documents)
        if options.query_type == "full" and options.semantic_query and options.search:
            return lexical_ranker.with_weighed_order(scored, _by_text(found))
        asks_alike = (options.search or "").strip() == question
        return lexical_ranker.with_order(scored, _by_text(found)) if asks_alike else scored

    return index.models.ranker.scores(
        question,
        Candidates(
            words=words,
            near=lambda: index.near(_meant(options) or question, found.ordinals),
            texts=lambda: ["\n".join(lexical_ranker.read_texts(document, read)) for _, document in documents],
        ),
    )


def _by_text(found: Found) -> Sequence[float]:
    """The scores of the search by its text alone."""
    by_text = {ordinal: score for score, ordinal in found.recalled.text or ()}
    return [by_text.get(ordinal, 0.0) for ordinal in found.ordinals]


def _meant(options: SearchOptions) -> str | None:
    """The text of the first vector query that has one: its vector is there already."""
    return next((one["text"] for one in options.vector_queries or () if one.get("text")), None)
