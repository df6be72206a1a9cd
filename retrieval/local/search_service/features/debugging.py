"""`debug`: what went into the place of a document, and what was made of the query.

Reference: DocumentDebugInfo and DebugInfo of https://learn.microsoft.com/rest/api/searchservice/documents/search-post.
`innerHits` is about vectors within complex types, which do not exist here: it is refused by name.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.index import SemanticConfiguration
from retrieval.local.search_service.engine import vector_scores
from retrieval.local.search_service.engine.recall import Recalled
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.models.lexical_ranker import read_texts
from retrieval.local.search_service.query.options import SearchOptions

_OFF: Final = "disabled"
_MODES: Final = {
    "vector": ("vector",),
    "semantic": ("semantic",),
    "queryRewrites": ("queryRewrites",),
    "all": ("vector", "semantic", "queryRewrites"),
}
_LACKING: Final = ("innerHits", "speller")


class Debug:
    """What one search asked to be told. Building it raises InvalidArgument for what is no mode, Unsupported for one
    that has nothing to tell here.
    """

    def __init__(self, options: SearchOptions, configuration: SemanticConfiguration | None) -> None:
        self._options = options
        self._configuration = configuration
        self._parts = _parts(options.debug)

    def around(self) -> dict[str, Any]:
        """Members of the envelope."""
        return {"@search.debug": _rewrites(self._options)} if "queryRewrites" in self._parts else {}

    def beside(
        self, page: Mapping[int, Document], recalled: Recalled, ranked: Collection[int], boosts: Mapping[int, float]
    ) -> dict[int, dict[str, Any]]:
        """Members of each document of a page; `ranked` are those that the semantic ranker looked at."""
        if not self._parts:
            return {ordinal: {} for ordinal in page}
        subscores = Subscores(recalled) if "vector" in self._parts else None
        semantic = self._configuration if "semantic" in self._parts else None
        found: dict[int, dict[str, Any]] = {}
        for ordinal, document in page.items():
            told: dict[str, Any] = {}
            if semantic is not None and ordinal in ranked:
                told["semantic"] = _semantic(document, semantic)
            if subscores is not None:
                told["vectors"] = {"subscores": subscores.of(ordinal, boosts[ordinal])}
            found[ordinal] = {"@search.documentDebugInfo": told}
        return found


def _parts(text: str | None) -> frozenset[str]:
    modes = [mode.strip() for mode in (text or _OFF).split("|")]
    if modes == [_OFF]:
        return frozenset()
    for mode in modes:
        if mode in _LACKING:
            raise Unsupported(f"debug {mode!r} in a search request")
        if mode not in _MODES:
            known = ", ".join(_MODES)
            raise InvalidArgument(f"debug is {_OFF!r}, or some of {known} joined by '|'; not {mode[:64]!r}.")
    return frozenset(part for mode in modes for part in _MODES[mode])


class Subscores:
    """How the text and each vector query scored the documents, before any fusion."""

    def __init__(self, recalled: Recalled) -> None:
        self._text = {ordinal: score for score, ordinal in recalled.text or ()}
        self._found = [
            (ask, {ordinal: likeness for likeness, ordinal in found})
            for ask, found in zip(recalled.asks, recalled.lists, strict=True)
        ]
        self._queries = 1 + max((ask.query for ask in recalled.asks), default=-1)

    def of(self, ordinal: int, boost: float) -> dict[str, Any]:
        """`subscores` of one document: the text null, a vector query an empty object where it did not find it."""
        vectors: list[dict[str, Any]] = [{} for _ in range(self._queries)]
        for ask, found in self._found:
            if (likeness := found.get(ordinal)) is not None:
                vectors[ask.query][ask.field] = {
                    "searchScore": vector_scores.search_score(likeness, ask.metric),
                    "vectorSimilarity": vector_scores.vector_similarity(likeness, ask.metric),
                }
        text = {"searchScore": self._text[ordinal]} if ordinal in self._text else None
        return {"text": text, "vectors": vectors, "documentBoost": boost}


def _semantic(document: Document, configuration: SemanticConfiguration) -> dict[str, Any]:
    """What the semantic ranker read of a document, and how much of each field."""
    title, content, keywords = configuration.title, configuration.content, configuration.keywords
    return {
        "titleField": None if title is None else _field(document, title),
        "contentFields": [_field(document, name) for name in content],
        "keywordFields": [_field(document, name) for name in keywords],
        "rerankerInput": {
            "title": None if title is None else _read(document, [title]),
            "content": _read(document, content),
            "keywords": _read(document, keywords),
        },
    }


def _field(document: Document, name: str) -> dict[str, str]:
    whole = sum(len(text) for text in paths.values(document, name) if isinstance(text, str))
    taken = sum(map(len, read_texts(document, [name])))
    state = "unused" if not taken else "used" if taken == whole else "partial"
    return {"name": name, "state": state}


def _read(document: Document, names: Sequence[str]) -> str:
    return "\n".join(read_texts(document, names))


def _rewrites(options: SearchOptions) -> dict[str, Any]:
    """`@search.debug`: each text that could have been rewritten, and nothing that it was rewritten to."""
    texts = [query["text"] for query in options.vector_queries or () if query["kind"] == "text"]
    return {
        "queryRewrites": {
            "text": {"inputQuery": options.search, "rewrites": []} if options.search else None,
            "vectors": [{"inputQuery": text, "rewrites": []} for text in texts],
        }
    }
