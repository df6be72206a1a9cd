"""Text engines by themselves, over the same documents: raw tantivy, SQLite FTS5 and, where it is installed, bm25s.

Each is given the documents as they are and analyses them in its own way (English stems); a search takes the best fifty
of title and content together, a filter is category, year and tag.
"""

import importlib
import re
import sqlite3
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final, Protocol

import tantivy

from retrieval.local.search_service.text.analysis import ANALYZERS

TOP: Final = 50
CATEGORY: Final = "category 3"
YEAR: Final = 2010
TAG: Final = "bc"

Document = dict[str, Any]

ENGLISH: Final = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    .filter(tantivy.Filter.lowercase())
    .filter(tantivy.Filter.stopword("english"))
    .filter(tantivy.Filter.stemmer("english"))
    .build()
)


class Engine(Protocol):
    name: str

    def add(self, documents: Iterable[Document]) -> None: ...
    def search(self, question: str, *, filtered: bool) -> int: ...
    def replace(self, document: Document) -> bool: ...


class Tantivy:
    """Through its Python binding, in memory, with its own English analyzer; the keys are read from a column."""

    name = "raw tantivy"

    def __init__(self) -> None:
        builder = tantivy.SchemaBuilder()
        for name in ("title", "content"):
            builder.add_text_field(name, tokenizer_name="english")
        builder.add_text_field("category", tokenizer_name="raw")
        builder.add_text_field("tags", tokenizer_name="raw")
        builder.add_integer_field("year", fast=True, indexed=True)
        builder.add_integer_field("id", fast=True, indexed=True)
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema)
        self._index.register_tokenizer("english", ENGLISH)
        self._index.config_reader(reload_policy="manual")
        self._writer = self._index.writer(64_000_000, 1)
        self._searcher = self._index.searcher()

    def add(self, documents: Iterable[Document]) -> None:
        for one in documents:
            self._writer.add_document(tantivy.Document.from_dict({**one, "id": int(one["id"])}, self._schema))
        self._commit()

    def _commit(self) -> None:
        self._writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def search(self, question: str, *, filtered: bool) -> int:
        terms = ENGLISH.analyze(question)
        parts = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, name, term))
            for term in terms
            for name in ("title", "content")
        ]
        query = tantivy.Query.boolean_query(parts)
        if filtered:
            tests = [
                tantivy.Query.term_query(self._schema, "category", CATEGORY),
                tantivy.Query.range_query(self._schema, "year", tantivy.FieldType.Integer, YEAR, None),
                tantivy.Query.term_query(self._schema, "tags", TAG),
            ]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, one) for one in (query, *tests)])
        hits = self._searcher.search(query, TOP, count=False).hits
        return len(self._searcher.fast_field_values("id", [address for _, address in hits]))

    def replace(self, document: Document) -> bool:
        self._writer.delete_documents_by_term("id", int(document["id"]))
        self.add([document])
        return self.search(document["content"], filtered=False) > 0


class Fts5:
    """SQLite's full-text index with its Porter stemmer, in memory."""

    name = "SQLite FTS5"

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE texts USING fts5(title, content, tokenize='porter unicode61')")
        self._database.execute("CREATE TABLE facts (id INTEGER PRIMARY KEY, category TEXT, year INTEGER, tags TEXT)")

    def add(self, documents: Iterable[Document]) -> None:
        rows = [(int(one["id"]) + 1, one) for one in documents]
        self._database.executemany(
            "INSERT INTO texts (rowid, title, content) VALUES (?, ?, ?)",
            [(number, one["title"], one["content"]) for number, one in rows],
        )
        self._database.executemany(
            "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)",
            [(number, one["category"], one["year"], f" {' '.join(one['tags'])} ") for number, one in rows],
        )
        self._database.commit()

    def search(self, question: str, *, filtered: bool) -> int:
        match = " OR ".join(re.findall(r"\w+", question))
        where = " AND category = ? AND year >= ? AND tags LIKE ?" if filtered else ""
        facts = [CATEGORY, YEAR, f"% {TAG} %"] if filtered else []
        found = self._database.execute(
            "SELECT texts.rowid FROM texts JOIN facts ON facts.id = texts.rowid "
            f"WHERE texts MATCH ?{where} ORDER BY bm25(texts) LIMIT {TOP}",
            [match, *facts],
        )
        return len(found.fetchall())

    def replace(self, document: Document) -> bool:
        self._database.execute("DELETE FROM texts WHERE rowid = ?", [int(document["id"]) + 1])
        self.add([document])
        return self.search(document["content"], filtered=False) > 0


class Bm25s:
    """One field of title and content; a filter is a mask of weights, made before. A change means a new index."""

    name = "bm25s"

    def __init__(self, library: ModuleType) -> None:
        self._library = library
        self._retriever = library.BM25(method="lucene", k1=1.2, b=0.75)
        self._terms = ANALYZERS["en.lucene"].terms
        self._texts: list[list[str]] = []
        self._mask: list[float] = []

    def add(self, documents: Iterable[Document]) -> None:
        for one in documents:
            self._texts.append(self._terms(f"{one['title']} {one['content']}"))
            self._mask.append(float(one["category"] == CATEGORY and one["year"] >= YEAR and TAG in one["tags"]))
        self._retriever.index(self._texts, show_progress=False)

    def search(self, question: str, *, filtered: bool) -> int:
        import numpy as np

        terms = [self._terms(question)]
        mask = np.array(self._mask, np.float32) if filtered else None
        found, _ = self._retriever.retrieve(terms, k=TOP, show_progress=False, weight_mask=mask)
        return len(found[0])

    def replace(self, document: Document) -> bool:
        raise NotImplementedError


def others() -> Sequence[Engine]:
    """The engines that are available here; missing ones are reported."""
    engines: list[Engine] = [Tantivy(), Fts5()]
    try:
        engines.append(Bm25s(importlib.import_module("bm25s")))
    except ImportError:
        print("bm25s is not installed (the extra `bench` has it); it is left out.")
    return engines
