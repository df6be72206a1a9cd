"""BM25 over the searchable fields of one index, on tantivy, in memory.

tantivy gets text that is already analysed: the terms joined by blanks, a mark where a stop word left a gap. So that its
own tokenizer has nothing to decide, and phrases keep their distances. Documents are known to it by an ordinal.
BM25 uses k1 = 1.2 and b = 0.75, per field, and adds the fields' scores, as Lucene does.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import tantivy

from retrieval.local.search_service import paths
from retrieval.local.search_service.analysis import KEYWORD
from retrieval.local.search_service.columns import Columns
from retrieval.local.search_service.compiling import Compiler
from retrieval.local.search_service.definition import IndexDefinition
from retrieval.local.search_service.documents import Document
from retrieval.local.search_service.fields import IndexField
from retrieval.local.search_service.pushdown import Pushdown, Pushed
from retrieval.local.search_service.query import Mode, Query
from retrieval.local.search_service.synonyms import FindSynonyms, no_synonyms

Scored = list[tuple[float, int]]
"""Pairs of score and ordinal: best first, equal scores in the order of the ordinals."""

_ORDINAL: Final = "ordinal"
_GAP: Final = "\x01"
_WRITER_BYTES: Final = 64_000_000
_MAX_TERM: Final = 32_766
_TIES: Final = 14  # asked for beyond the limit, so that equal scores at its edge are ordered by ordinal too

_ANALYZED = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.custom_stopword([_GAP])).build()
)


class TextIndex:
    """A change is visible to the next search: it is committed then, so that many changes cost one commit."""

    def __init__(self, definition: IndexDefinition, synonyms: FindSynonyms = no_synonyms) -> None:
        self._synonyms = synonyms
        self._fields = {field.name: (f"field{place}", field) for place, field in enumerate(definition.searchable)}
        self._columns = Columns(definition)
        self._schema = self._build_schema()
        self.filters = Pushdown(self._columns, self._schema)
        self._index = tantivy.Index(self._schema)
        self._index.register_tokenizer("analyzed", _ANALYZED)
        self._index.config_reader(reload_policy="manual")
        self._writer = self._index.writer(_WRITER_BYTES, 1)
        self._searcher = self._index.searcher()
        self._changed = False

    def _build_schema(self) -> tantivy.Schema:
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field(_ORDINAL, indexed=True, fast=True)
        for column, field in self._fields.values():
            builder.add_text_field(column, tokenizer_name="raw" if field.analyzer is KEYWORD else "analyzed")
        self._columns.declare(builder)
        return builder.build()

    def add(self, ordinal: int, document: Document) -> None:
        """`document` has been checked against the definition: a value of a wrong type would stop the writer."""
        row: dict[str, Any] = {_ORDINAL: ordinal, **dict(self._columns.row(document))}
        for name, (column, field) in self._fields.items():
            if texts := paths.values(document, name):
                row[column] = _analyzed(texts, field)
        self._writer.add_document(tantivy.Document.from_dict(row, self._schema))
        self._changed = True

    def remove(self, ordinal: int) -> None:
        self._writer.delete_documents_by_term(_ORDINAL, ordinal)
        self._changed = True

    def search(
        self, query: Query, *, fields: Sequence[str], mode: Mode, limit: int, within: Pushed | None = None
    ) -> Scored:
        """The best `limit` documents for `query` in `fields`, of those that `within` leaves."""
        compiled = _within(self._compiler(fields, mode).compile(query), within)
        if compiled is None or limit <= 0:
            return []
        searcher = self._current()
        hits = searcher.search(compiled, limit + _TIES, count=False).hits
        ordinals = searcher.fast_field_values(_ORDINAL, [address for _, address in hits])
        found = [(float(score), int(ordinal or 0)) for (score, _), ordinal in zip(hits, ordinals, strict=True)]
        found.sort(key=lambda pair: (-pair[0], pair[1]))
        return found[:limit]

    def matching(self, filter: Pushed, *, limit: int) -> list[int]:
        """The first `limit` ordinals that `filter` leaves, ascending."""
        if limit <= 0:
            return []
        hits = self._current().search(filter, limit, count=False, order_by_field=_ORDINAL, order=tantivy.Order.Asc).hits
        return [int(ordinal) for ordinal, _ in hits]

    def among(self, ordinals: Sequence[int]) -> Pushed:
        """What leaves these documents only."""
        return tantivy.Query.term_set_query(self._schema, _ORDINAL, list(ordinals))

    def total(self, filter: Pushed | None) -> int:
        """How many documents `filter` leaves."""
        found: int = self._current().search(filter or tantivy.Query.all_query(), 1, count=True).count  # type: ignore[attr-defined]
        return found

    def count(self, query: Query, *, fields: Sequence[str], mode: Mode, within: Pushed | None = None) -> int:
        """How many documents `query` matches, of those that `within` leaves."""
        compiled = _within(self._compiler(fields, mode).compile(query), within)
        if compiled is None:
            return 0
        found: int = self._current().search(compiled, 1, count=True).count  # type: ignore[attr-defined]
        return found

    def _compiler(self, fields: Sequence[str], mode: Mode) -> Compiler:
        return Compiler(
            schema=self._schema, columns=self._fields, fields=fields, mode=mode, find_synonyms=self._synonyms
        )

    def _current(self) -> tantivy.Searcher:
        if self._changed:
            self._writer.commit()
            self._index.reload()
            self._searcher = self._index.searcher()
            self._changed = False
        return self._searcher


def _within(query: tantivy.Query | None, filter: Pushed | None) -> tantivy.Query | None:
    """Both must match; the filter adds nothing to the score."""
    if query is None or filter is None:
        return query
    unscored = tantivy.Query.const_score_query(filter, 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)])


def _analyzed(texts: Iterable[str], field: IndexField) -> list[str]:
    if field.analyzer is KEYWORD:
        return [text for text in texts if len(text) * 4 <= _MAX_TERM or len(text.encode()) <= _MAX_TERM]
    return [" ".join([_GAP if term is None else term for term in field.analyzer.positions(text)]) for text in texts]
