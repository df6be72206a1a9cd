"""One index: its definition, its documents, and the engines that are kept in step with them."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.local.search_service.definition import IndexDefinition
from retrieval.local.search_service.documents import Document, completed
from retrieval.local.search_service.errors import InvalidArgument, NotFound
from retrieval.local.search_service.semantic import Ranker
from retrieval.local.search_service.text_index import TextIndex


@dataclass(frozen=True, slots=True)
class Stored:
    """A document under its ordinal; a replaced document gets a new one."""

    ordinal: int
    fields: Document


class LocalIndex:
    """Holds what `definition` describes. Changes are visible to the next search."""

    def __init__(self, definition: IndexDefinition, etag: str) -> None:
        self.definition = definition
        self.etag = etag
        self.text = TextIndex(definition)
        self.rankers = {name: Ranker(configuration) for name, configuration in definition.configurations.items()}
        self._stored: dict[str, Stored] = {}
        self._by_ordinal: dict[int, Document] = {}
        self._ordinals = itertools.count()

    def __len__(self) -> int:
        return len(self._stored)

    def documents(self) -> Iterator[tuple[int, Document]]:
        """Ordinal and fields of every document, oldest first."""
        return iter(self._by_ordinal.items())

    def document(self, ordinal: int) -> Document:
        return self._by_ordinal[ordinal]

    def lookup(self, key: str) -> Document | None:
        stored = self._stored.get(key)
        return None if stored is None else stored.fields

    def existing(self, key: str) -> Document:
        """Raises NotFound."""
        document = self.lookup(key)
        if document is None:
            raise NotFound(f"No document with the key {key[:128]!r} was found in the index.")
        return document

    def redefined(self, definition: IndexDefinition, etag: str) -> "LocalIndex":
        """A new index with the same documents. Raises InvalidArgument where a field would change or go."""
        for name, field in self.definition.fields.items():
            if definition.fields.get(name) != field:
                raise InvalidArgument(
                    f"The field {name!r} cannot be changed or removed; create the index anew. New fields may be added."
                )
        index = LocalIndex(definition, etag)
        for key, stored in self._stored.items():
            index.put(key, stored.fields)
        return index

    def put(self, key: str, fields: Document) -> bool:
        """Stores the document whole; True when its key is new."""
        document = completed(fields, self.definition)
        is_new = not self.remove(key)
        ordinal = next(self._ordinals)
        self._stored[key] = Stored(ordinal, document)
        self._by_ordinal[ordinal] = document
        self.text.add(ordinal, document)
        for ranker in self.rankers.values():
            ranker.add(document)
        return is_new

    def remove(self, key: str) -> bool:
        """False when there is no such document."""
        stored = self._stored.pop(key, None)
        if stored is None:
            return False
        del self._by_ordinal[stored.ordinal]
        self.text.remove(stored.ordinal)
        for ranker in self.rankers.values():
            ranker.remove(stored.ordinal, stored.fields)
        return True
