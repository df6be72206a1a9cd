"""`highlight`: the passages of a document where the search found something, verbatim but for the tags.

A field may be followed by the greatest number of passages, `story-3`: https://learn.microsoft.com/rest/api/searchservice/
documents/search-post. Five where nothing is said.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import matching
from retrieval.local.search_service.query.matching import Wanted
from retrieval.local.search_service.query.tree import Query
from retrieval.local.search_service.text.analysis import Token
from retrieval.local.search_service.text.passages import marked, sentences

DEFAULT_PASSAGES: Final = 5
PASSAGE: Final = 200
"""Characters of a passage, tags not counted."""

_EXPRESSION = re.compile(r"(?P<path>[A-Za-z_][A-Za-z0-9_/]*)(?:-(?P<count>\d{1,6}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Highlight:
    """One field and the greatest number of its passages."""

    field: IndexField
    passages: int


class Highlighter:
    """Marks what one search is about, in any document. `tags` stand before and after a word. Of a field that is
    named more than once the last counts."""

    def __init__(
        self, highlights: Sequence[Highlight], query: Query, *, fields: Sequence[str], tags: tuple[str, str]
    ) -> None:
        last_of_each = {highlight.field.name: highlight for highlight in highlights}.values()
        self._wanted = [
            (one, matching.wanted(query, field=one.field.name, fields=fields, analyzer=one.field.search_analyzer))
            for one in last_of_each
        ]
        self._tags = tags

    def of(self, document: Document) -> dict[str, list[str]]:
        """Passages by field; a field without any is left out."""
        found = {one.field.name: self._passages(document, one, wanted) for one, wanted in self._wanted}
        return {name: passages for name, passages in found.items() if passages}

    def _passages(self, document: Document, highlight: Highlight, wanted: Wanted) -> list[str]:
        scored = [
            one
            for text in paths.values(document, highlight.field.name)
            for one in self._scored(text, wanted.among(highlight.field.analyzer.tokens(text)))
        ]
        best = sorted(range(len(scored)), key=lambda place: -scored[place][0])[: highlight.passages]
        return [scored[place][1] for place in sorted(best)]

    def _scored(self, text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
        """Every passage with one of `tokens` in it, and how many different terms it has."""
        starts = [token.start for token in tokens]
        for span in sentences(text, PASSAGE) if tokens else ():
            inside = tokens[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
            if inside:
                words = [(token.start, token.end) for token in inside]
                yield len({token.term for token in inside}), marked(text, span, words, self._tags)


def read(names: Sequence[str], fields: Mapping[str, IndexField]) -> tuple[Highlight, ...]:
    """`fields` are those of the index by path. Raises InvalidArgument."""
    return tuple(_highlight(name, fields) for name in names)


def _highlight(name: str, fields: Mapping[str, IndexField]) -> Highlight:
    match = _EXPRESSION.fullmatch(name)
    field = fields.get(match["path"]) if match else None
    if match is None or field is None or not field.searchable:
        raise InvalidArgument(f"The field {name[:128]!r} in highlight is not a searchable field of the index.")
    count = int(match["count"] or DEFAULT_PASSAGES)
    if not count:
        raise InvalidArgument(f"The highlight {name[:128]!r} asks for no passage.")
    return Highlight(field, count)
