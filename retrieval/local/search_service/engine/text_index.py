"""BM25 over the searchable fields of one index, on tantivy, in memory.

tantivy gets text that is already analysed: the terms joined by blanks, a mark where a stop word left a gap. So that its
own tokenizer has nothing to decide, and phrases keep their distances. Documents are known to it by an ordinal.
BM25 uses k1 = 1.2 and b = 0.75, per field, and adds the fields' scores, as Lucene does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import tantivy

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine.columns import Columns
from retrieval.local.search_service.engine.compiling import Compiler
from retrieval.local.search_service.engine.pushdown import Pushdown, Pushed
from retrieval.local.search_service.query.tree import Mode, Query
from retrieval.local.search_service.text.analysis import KEYWORD
from retrieval.local.search_service.text.lexical.chain import Chain
from retrieval.local.search_service.text.synonyms import FindSynonyms, no_synonyms

Scored = list[tuple[float, int]]
"""Pairs of score and ordinal: best first, equal scores in the order of the ordinals."""

Row = tuple[dict[str, Any], list[tuple[str, tantivy.PreTokenizedString]]]
"""A document as the engine takes it: the values of its columns, and the texts that are tokens already."""

_ORDINAL: Final = "ordinal"
_GAP: Final = "\x01"
_WRITER_BYTES: Final = 64_000_000
_MAX_TERM: Final = 32_766
_EQUAL: Final[Mapping[str, float]] = {}
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

    def row(self, document: Document) -> Row:
        """What `add` takes, for a document that has been checked: a value of a wrong type would stop the writer.

        Raises InvalidArgument for a text that its field's own analyzer cannot index.
        """
        columns: dict[str, Any] = dict(self._columns.row(document))
        stacked: list[tuple[str, tantivy.PreTokenizedString]] = []
        for name, (column, field) in self._fields.items():
            texts = paths.values(document, name)
            if isinstance(field.analyzer, Chain):
                stacked += [(column, _tokenized(text, field.analyzer)) for text in texts]
            elif texts:
                columns[column] = _analyzed(texts, field)
        return columns, stacked

    def add(self, ordinal: int, row: Row) -> None:
        columns, stacked = row
        document = tantivy.Document.from_dict({_ORDINAL: ordinal, **columns}, self._schema)
        for column, text in stacked:
            document.add_pre_tokenized_text(column, text)
        self._writer.add_document(document)
        self._changed = True

    def remove(self, ordinal: int) -> None:
        self._writer.delete_documents_by_term(_ORDINAL, ordinal)
        self._changed = True

    def search(
        self,
        query: Query,
        *,
        fields: Sequence[str],
        mode: Mode,
        limit: int,
        within: Pushed | None = None,
        weights: Mapping[str, float] = _EQUAL,
    ) -> Scored:
        """The best `limit` documents for `query` in `fields`, of those that `within` leaves.

        `weights` multiply the scores of fields by name.
        """
        compiled = _within(self._compiler(fields, mode, weights).compile(query), within)
        if compiled is None or limit <= 0:
            return []
        searcher = self._current()
        hits = searcher.search(compiled, limit + _TIES, count=False).hits
        ordinals = searcher.fast_field_values(_ORDINAL, [address for _, address in hits])
        return _in_order([score for score, _ in hits], ordinals)[:limit]

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

    def _compiler(self, fields: Sequence[str], mode: Mode, weights: Mapping[str, float] = _EQUAL) -> Compiler:
        return Compiler(
            schema=self._schema,
            columns=self._fields,
            fields=fields,
            mode=mode,
            find_synonyms=self._synonyms,
            weights=weights,
        )

    def _current(self) -> tantivy.Searcher:
        if self._changed:
            self._writer.commit()
            self._index.reload()
            self._searcher = self._index.searcher()
            self._changed = False
        return self._searcher


def _in_order(scores: Sequence[float], ordinals: Sequence[Any]) -> Scored:
    """In numpy, since a search for an order or a profile asks for every match."""
    by_score, by_ordinal = np.array(scores, np.float64), np.array(ordinals, np.int64)
    order = np.lexsort((by_ordinal, -by_score))
    return list(zip(by_score[order].tolist(), by_ordinal[order].tolist(), strict=True))


def _within(query: tantivy.Query | None, filter: Pushed | None) -> tantivy.Query | None:
    """Both must match; the filter adds nothing to the score."""
    if query is None or filter is None:
        return query
    unscored = tantivy.Query.const_score_query(filter, 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)])


def _tokenized(text: str, analyzer: Chain) -> tantivy.PreTokenizedString:
    return tantivy.PreTokenizedString(
        "", [tantivy.Token(token.term, token.position, 0, 0) for token in analyzer.index_tokens(text)]
    )


def _analyzed(texts: Iterable[str], field: IndexField) -> list[str]:
    if field.analyzer is KEYWORD:
        return [text for text in texts if len(text) * 4 <= _MAX_TERM or len(text.encode()) <= _MAX_TERM]
    return [" ".join([_GAP if term is None else term for term in field.analyzer.positions(text)]) for text in texts]
