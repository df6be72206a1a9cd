"""One index: its definition, its documents, and the engines that are kept in step with them."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine import vector_fields
from retrieval.local.search_service.engine.documents import completed
from retrieval.local.search_service.engine.scoring_values import ScoringValues
from retrieval.local.search_service.engine.suggestion_index import SuggestionIndex
from retrieval.local.search_service.engine.text_index import TextIndex
from retrieval.local.search_service.errors import NotFound
from retrieval.local.search_service.models.lexical_ranker import Ranker
from retrieval.local.search_service.models.wanted import Models
from retrieval.local.search_service.text import languages
from retrieval.local.search_service.text.synonyms import FindSynonyms, no_synonyms

BLOCK: Final = 256
"""Documents that are loaded at once: a model makes their vectors together."""

NO_MODELS: Final = Models()


@dataclass(frozen=True, slots=True)
class Stored:
    """A document under its ordinal; a replaced document gets a new one."""

    ordinal: int
    fields: Document


class LocalIndex:
    """Holds what `definition` describes. Changes are visible to the next search."""

    def __init__(
        self,
        definition: IndexDefinition,
        etag: str,
        synonyms: FindSynonyms = no_synonyms,
        models: Models = NO_MODELS,
    ) -> None:
        """Raises InvalidArgument where the model's vectors do not fit the definition."""
        vector_fields.check(definition, models.embedder)
        self.definition = definition
        self.models = models
        self.etag = etag
        self.text = TextIndex(definition, synonyms)
        stated = {name: code for name, field in definition.paths.items() if (code := languages.stated(field.analyzer))}
        self.rankers = {name: Ranker(one, stated) for name, one in definition.configurations.items()}
        self.vectors = vector_fields.vectors_of(definition)
        self.scoring_values = ScoringValues(definition.scoring.by_name.values())
        self.suggestions = {one.name: SuggestionIndex(one) for one in definition.suggesters.values()}
        self._stored: dict[str, Stored] = {}
        self._by_ordinal: dict[int, Document] = {}
        self._ordinals = itertools.count()

    def __len__(self) -> int:
        return len(self._stored)

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def wire(self) -> dict[str, Any]:
        return self.definition.wire

    def documents(self) -> Iterator[tuple[int, Document]]:
        """Ordinal and fields of every document, oldest first."""
        return iter(self._by_ordinal.items())

    def document(self, ordinal: int) -> Document:
        return self._by_ordinal[ordinal]

    @property
    def vector_size(self) -> int:
        """Bytes of the vectors kept."""
        return sum(vectors.size for vectors in self.vectors.values())

    @property
    def horizon(self) -> int:
        """A number that is greater than every ordinal in use."""
        return next(reversed(self._by_ordinal), -1) + 1

    def lookup(self, key: str) -> Document | None:
        stored = self._stored.get(key)
        return None if stored is None else stored.fields

    def existing(self, key: str) -> Document:
        """Raises NotFound."""
        document = self.lookup(key)
        if document is None:
            raise NotFound(f"No document with the key {key[:128]!r} was found in the index.")
        return document

    def copy_to(self, index: "LocalIndex") -> None:
        """Puts the same documents into an index whose definition has been checked against this one's."""
        index.load((key, stored.fields) for key, stored in self._stored.items())

    def load(self, documents: Iterable[tuple[str, Document]]) -> None:
        """Puts documents by their keys. Raises as `put` does, and ModelFailed."""
        left = iter(documents)
        while block := list(itertools.islice(left, BLOCK)):
            self.prepare(fields for _, fields in block)
            for key, fields in block:
                self.put(key, fields)

    def prepare(self, documents: Iterable[Document]) -> None:
        """Has the model make the vectors of documents that are put next. Raises ModelFailed."""
        vector_fields.prepare(
            (completed(fields, self.definition) for fields in documents), self.definition, self.models.embedder
        )

    def near(self, question: str, ordinals: Sequence[int]) -> list[float] | None:
        """The cosines of a question and documents, by the vectors that the model made of both.

        None without a model, and where the index has no field that it makes vectors for. Raises ModelFailed.
        """
        embedder, names = self.models.embedder, vector_fields.vectorized(self.definition)
        if embedder.dimensions is None or not names:
            return None
        return self.vectors[names[0]].cosines(embedder.query(question, embedder.dimensions), ordinals)

    def put(self, key: str, fields: Document) -> bool:
        """Stores the document whole; True when its key is new.

        Raises InvalidArgument, and changes nothing, where an analyzer cannot index one of its texts,
        ModelFailed where there is no vector of them.
        """
        document = completed(fields, self.definition)
        row = self.text.row(document)
        found = vector_fields.made(document, self.definition, self.models.embedder)
        is_new = not self.remove(key)
        ordinal = next(self._ordinals)
        self._stored[key] = Stored(ordinal, document)
        self._by_ordinal[ordinal] = document
        self.text.add(ordinal, row)
        for ranker in self.rankers.values():
            ranker.add(document)
        for suggestions in self.suggestions.values():
            suggestions.add(ordinal, document)
        self.scoring_values.add(ordinal, document)
        vector_fields.add(self.vectors, found, ordinal=ordinal, key=str(document[self.definition.key]))
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
        for suggestions in self.suggestions.values():
            suggestions.remove(stored.ordinal, stored.fields)
        self.scoring_values.remove(stored.ordinal, stored.fields)
        for vectors in self.vectors.values():
            vectors.remove(stored.ordinal)
        return True
