"""The vector fields of an index: what they keep of a document.

A field whose profile names a vectorizer gets a vector even from a document that brings none: that of its searchable
strings, in the order of the definition. It is kept beside the document, not in it, so a merge makes it anew.
"""

import zlib
from collections.abc import Callable, Mapping
from functools import cache

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine import vectors
from retrieval.local.search_service.engine.vectors import Vector, Vectors
from retrieval.local.search_service.models import hashed_embeddings


def vectors_of(definition: IndexDefinition) -> dict[str, Vectors]:
    """An empty store for each vector field."""
    return {
        name: Vectors(definition.fields[name].dimensions or 0, profile.metric)
        for name, profile in definition.vectors.items()
    }


def add_vectors(
    stores: Mapping[str, Vectors], *, definition: IndexDefinition, ordinal: int, document: Document
) -> None:
    """Keeps the vectors of a document that has been checked against the definition."""
    if not stores:
        return
    shard = zlib.crc32(str(document[definition.key]).encode()) % vectors.SHARDS
    made = cache(lambda dimensions: hashed_embeddings.embed(text_of(document, definition), dimensions))
    for name, store in stores.items():
        vector = _vector(document, definition.fields[name], definition, made)
        if vector is not None:
            store.add(ordinal, vector, shard)


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
