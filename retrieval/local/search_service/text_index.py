"""BM25 over the searchable fields of one index, on tantivy, in memory.

tantivy gets text that is already analysed: the terms joined by blanks, a mark where a stop word left a gap. So that its
own tokenizer has nothing to decide, and phrases keep their distances. Documents are known to it by an ordinal.
BM25 uses k1 = 1.2 and b = 0.75, per field, and adds the fields' scores, as Lucene does.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import tantivy

from retrieval.local.search_service.analysis import KEYWORD
from retrieval.local.search_service.definition import IndexDefinition, IndexField
from retrieval.local.search_service.documents import Document
from retrieval.local.search_service.query import All, Both, Either, Except, Mode, Phrase, Prefix, Query, Words

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

    def __init__(self, definition: IndexDefinition) -> None:
        self._fields = {field.name: (f"field{place}", field) for place, field in enumerate(definition.searchable)}
        self._schema = self._build_schema()
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
        return builder.build()

    def add(self, ordinal: int, document: Document) -> None:
        """`document` has been checked against the definition: a value of a wrong type would stop the writer."""
        row: dict[str, int | list[str]] = {_ORDINAL: ordinal}
        for name, (column, field) in self._fields.items():
            if value := document.get(name):
                row[column] = _analyzed(value if isinstance(value, list) else [value], field)
        self._writer.add_document(tantivy.Document.from_dict(row, self._schema))
        self._changed = True

    def remove(self, ordinal: int) -> None:
        self._writer.delete_documents_by_term(_ORDINAL, ordinal)
        self._changed = True

    def search(self, query: Query, *, fields: Sequence[str], mode: Mode, limit: int) -> Scored:
        """The best `limit` documents for `query` in `fields`."""
        compiled = self._compiler(fields, mode).compile(query)
        if compiled is None or limit <= 0:
            return []
        searcher = self._current()
        hits = searcher.search(compiled, limit + _TIES, count=False).hits
        ordinals = searcher.fast_field_values(_ORDINAL, [address for _, address in hits])
        found = [(float(score), int(ordinal or 0)) for (score, _), ordinal in zip(hits, ordinals, strict=True)]
        found.sort(key=lambda pair: (-pair[0], pair[1]))
        return found[:limit]

    def count(self, query: Query, *, fields: Sequence[str], mode: Mode) -> int:
        """How many documents `query` matches."""
        compiled = self._compiler(fields, mode).compile(query)
        if compiled is None:
            return 0
        found: int = self._current().search(compiled, 1, count=True).count  # type: ignore[attr-defined]
        return found

    def _compiler(self, fields: Iterable[str], mode: Mode) -> "_Compiler":
        return _Compiler(self._schema, [self._fields[name] for name in fields], mode)

    def _current(self) -> tantivy.Searcher:
        if self._changed:
            self._writer.commit()
            self._index.reload()
            self._searcher = self._index.searcher()
            self._changed = False
        return self._searcher


def _analyzed(texts: Iterable[str], field: IndexField) -> list[str]:
    if field.analyzer is KEYWORD:
        return [text for text in texts if len(text) * 4 <= _MAX_TERM or len(text.encode()) <= _MAX_TERM]
    return [" ".join([_GAP if term is None else term for term in field.analyzer.positions(text)]) for text in texts]


class _Compiler:
    """Query to tantivy's query. None stands for what analysis leaves empty; it is dropped from what holds it."""

    def __init__(self, schema: tantivy.Schema, fields: Sequence[tuple[str, IndexField]], mode: Mode) -> None:
        self._schema = schema
        self._fields = fields
        self._mode = mode

    def compile(self, query: Query) -> tantivy.Query | None:
        match query:
            case All():
                return tantivy.Query.all_query()
            case Words() | Phrase() | Prefix():
                return _either(self._leaf(query))
            case Either(parts):
                return _either(self._flattened(parts))
            case Both(parts):
                return _joined(tantivy.Occur.Must, [self.compile(part) for part in parts])
            case Except(part):
                excluded = self.compile(part)
                return excluded and tantivy.Query.boolean_query(
                    [(tantivy.Occur.Should, tantivy.Query.all_query()), (tantivy.Occur.MustNot, excluded)]
                )

    def _flattened(self, parts: Iterable[Query]) -> list[tantivy.Query]:
        """One flat list where it means the same: tantivy skips what cannot win only in a flat disjunction."""
        flat: list[tantivy.Query] = []
        for part in parts:
            if isinstance(part, Words | Phrase | Prefix):
                flat.extend(self._leaf(part))
            elif (compiled := self.compile(part)) is not None:
                flat.append(compiled)
        return flat

    def _leaf(self, leaf: Words | Phrase | Prefix) -> list[tantivy.Query]:
        build = {Words: self._words, Phrase: self._phrase, Prefix: self._prefix}[type(leaf)]
        return [part for column, field in self._fields for part in build(leaf.text, column, field)]

    def _words(self, text: str, column: str, field: IndexField) -> list[tantivy.Query]:
        terms = [self._term(column, term) for term in field.search_analyzer.terms(text)]
        if self._mode == "any" or len(terms) < 2:
            return terms
        return [tantivy.Query.boolean_query([(tantivy.Occur.Must, term) for term in terms])]

    def _phrase(self, text: str, column: str, field: IndexField) -> list[tantivy.Query]:
        places = [(place, term) for place, term in enumerate(field.search_analyzer.positions(text)) if term is not None]
        if len(places) < 2:
            return [self._term(column, term) for _, term in places]
        first = places[0][0]
        words: list[str | tuple[int, str]] = [(place - first, term) for place, term in places]
        return [tantivy.Query.phrase_query(self._schema, column, words)]

    def _prefix(self, text: str, column: str, field: IndexField) -> list[tantivy.Query]:
        start = text if field.search_analyzer is KEYWORD else text.lower()
        prefixed = tantivy.Query.fuzzy_term_query(self._schema, column, start, distance=0, prefix=True)
        return [tantivy.Query.const_score_query(prefixed, 1.0)]

    def _term(self, column: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, column, term)


def _either(parts: list[tantivy.Query]) -> tantivy.Query | None:
    return _joined(tantivy.Occur.Should, parts)


def _joined(occur: tantivy.Occur, parts: Sequence[tantivy.Query | None]) -> tantivy.Query | None:
    present = [part for part in parts if part is not None]
    if len(present) < 2:
        return present[0] if present else None
    return tantivy.Query.boolean_query([(occur, part) for part in present])
