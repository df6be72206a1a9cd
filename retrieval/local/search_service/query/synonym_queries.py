"""What a search for words or a phrase becomes in a field with synonyms."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final

import tantivy

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.analysis import Term
from retrieval.local.search_service.text.synonyms import Terms

MAX_PHRASES: Final = 100
"""Phrases that one phrase may become."""


def word_queries(
    schema: tantivy.Schema, column: str, expanded: Iterator[tuple[Terms, ...]], slop: int = 0
) -> Iterator[tantivy.Query]:
    """One query for each piece: of its alternatives the best counts, so that a synonym adds no score to another."""
    for alternatives in expanded:
        queries = [query for terms in alternatives if (query := place_query(schema, column, terms, slop)) is not None]
        if queries:
            yield queries[0] if len(queries) == 1 else tantivy.Query.disjunction_max_query(queries)


def phrase_query(
    schema: tantivy.Schema, column: str, expanded: Iterator[tuple[Terms, ...]], slop: int
) -> tantivy.Query | None:
    """Every way of saying the phrase. Raises InvalidArgument for more than MAX_PHRASES."""
    pieces = list(expanded)
    if math.prod(map(len, pieces)) > MAX_PHRASES:
        raise InvalidArgument(f"With its synonyms a phrase of the search becomes more than {MAX_PHRASES} phrases.")
    phrases = tuple(tuple(itertools.chain(*chosen)) for chosen in itertools.product(*pieces))
    return next(word_queries(schema, column, iter([phrases]), slop), None)


def place_query(schema: tantivy.Schema, column: str, terms: Sequence[Term], slop: int) -> tantivy.Query | None:
    """The terms at their distances; None where analysis left nothing."""
    places = [(place, term) for place, term in enumerate(terms) if term is not None]
    if len(places) < 2:
        return tantivy.Query.term_query(schema, column, places[0][1]) if places else None
    first = places[0][0]
    words: list[str | tuple[int, str]] = [(place - first, term) for place, term in places]
    return tantivy.Query.phrase_query(schema, column, words, slop)
