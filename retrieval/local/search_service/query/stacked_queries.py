"""What a search for words or a phrase becomes in a field whose analyzer stacks terms at one position."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import tantivy

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import lucene_regex
from retrieval.local.search_service.query.synonym_queries import place_query
from retrieval.local.search_service.text.lexical.chain import Chain

MAX_READ: Final = 30_000
"""Characters of one search that custom analyzers read, in all fields that have one; each char filter reads again."""

MAX_TERMS: Final = 3_000
"""Terms that they make of one search."""

MAX_PHRASE: Final = 300
"""Terms of one phrase, where several stand at one position."""

Places = Sequence[Sequence[str]]
"""The terms at every position."""


@dataclass(slots=True)
class Allowance:
    """What one search has used of the limits. Raises InvalidArgument beyond them."""

    read: int = 0
    terms: int = 0

    def places(self, text: str, analyzer: Chain) -> Places:
        """What the analyzer makes of a text of the search."""
        self.read += len(text) * analyzer.passes
        if self.read > MAX_READ:
            raise InvalidArgument(f"Custom analyzers read at most {MAX_READ} characters of one search, in all fields.")
        places = analyzer.places(text)
        self.terms += sum(map(len, places))
        if self.terms > MAX_TERMS:
            raise InvalidArgument(f"Custom analyzers make at most {MAX_TERMS} terms of one search.")
        return places


def word_queries(schema: tantivy.Schema, column: str, places: Places) -> list[tantivy.Query]:
    """One query for each position: of its terms the best counts."""
    return [_best([tantivy.Query.term_query(schema, column, term) for term in terms]) for terms in places if terms]


def _best(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return queries[0] if len(queries) == 1 else tantivy.Query.disjunction_max_query(queries)


def phrase_query(schema: tantivy.Schema, column: str, places: Places, slop: int) -> tantivy.Query | None:
    """One term of every position, at their distances; None where analysis left nothing."""
    if all(len(terms) < 2 for terms in places):
        return place_query(schema, column, [terms[0] if terms else None for terms in places], slop)
    filled = [(place, terms) for place, terms in enumerate(places) if terms]
    if len(filled) == 1:
        return word_queries(schema, column, places)[0]
    if sum(len(terms) for _, terms in filled) > MAX_PHRASE:
        raise InvalidArgument(f"The analyzer of a field makes more than {MAX_PHRASE} terms of a phrase.")
    first = filled[0][0]
    words: list[str | tuple[int, str]] = [
        (place - first, "|".join(map(lucene_regex.literal, terms))) for place, terms in filled
    ]
    try:
        return tantivy.Query.regex_phrase_query(schema, column, words, slop)
    except ValueError as error:
        raise InvalidArgument("A phrase of the search is too long for the analyzer of a field.") from error
