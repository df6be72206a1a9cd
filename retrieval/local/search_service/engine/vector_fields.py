"""The vector fields of an index: what they keep of a document.

A field whose profile names a vectorizer gets a vector even from a document that brings none: that of its searchable
strings, in the order of the definition. It is kept beside the document, not in it, so a merge makes it anew.
"""

import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine import vectors
from retrieval.local.search_service.engine.vectors import Vector, Vectors
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.models.ports import Embedder


def vectors_of(definition: IndexDefinition) -> dict[str, Vectors]:
    """An empty store for each vector field."""
    return {
        name: Vectors(definition.fields[name].dimensions or 0, profile.metric)
        for name, profile in definition.vectors.items()
    }


def check(definition: IndexDefinition, embedder: Embedder) -> None:
    """Raises InvalidArgument where a field that the model is to make vectors for has other dimensions than they."""
    for name in vectorized(definition):
        wanted = definition.fields[name].dimensions
        if embedder.dimensions not in (None, wanted):
            raise InvalidArgument(
                f"The vector field {name!r} of the index {definition.name!r} has {wanted} dimensions; the model "
                f"{embedder.name!r}, which its vectorizer means here, makes vectors of {embedder.dimensions}."
            )


def vectorized(definition: IndexDefinition) -> list[str]:
    """The vector fields whose profile names a vectorizer."""
    return [name for name, profile in definition.vectors.items() if profile.vectorizer is not None]


def prepare(documents: Iterable[Document], definition: IndexDefinition, embedder: Embedder) -> None:
    """Has the model make the vectors of documents that are added next."""
    names = vectorized(definition)
    lacking = (one for one in documents if not all(one.get(name) for name in names))
    if names and embedder.dimensions is not None:
        embedder.prepare([text_of(one, definition) for one in lacking])


def made(document: Document, definition: IndexDefinition, embedder: Embedder) -> dict[str, Vector]:
    """The vectors of a document that has been checked against the definition, by field. Raises ModelFailed."""
    of_text = cache(lambda dimensions: embedder.passage(text_of(document, definition), dimensions))
    found = {name: _vector(document, definition.fields[name], definition, of_text) for name in definition.vectors}
    return {name: vector for name, vector in found.items() if vector is not None}


def add(stores: Mapping[str, Vectors], found: Mapping[str, Vector], *, ordinal: int, key: str) -> None:
    """Keeps the vectors of a document."""
    shard = zlib.crc32(key.encode()) % vectors.SHARDS
    for name, vector in found.items():
        stores[name].add(ordinal, vector, shard)


def _vector(
    document: Document, field: IndexField, definition: IndexDefinition, made: Callable[[int], Vector]
) -> Vector | None:
    if document[field.name]:
        return vectors.read(document[field.name], field)
    if definition.vectors[field.name].vectorizer is None:
        return None
    vector = made(field.dimensions or 0)
    return vector if vector.any() else None


def text_of(document: Document, definition: IndexDefinition) -> str:
    """What the local vectorizer reads of a document: its searchable strings, a line each."""
    return "\n".join(text for field in definition.searchable for text in paths.values(document, field.name))
