"""What one service holds: indexes, synonym maps and aliases, in memory and, with a store, on disk."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from retrieval.local.search_service.bodies import Condition
from retrieval.local.search_service.definitions import index as definition
from retrieval.local.search_service.definitions import updates
from retrieval.local.search_service.definitions.aliases import Alias
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine.index import NO_MODELS, LocalIndex
from retrieval.local.search_service.engine.store import CannotStore, Kept, Store
from retrieval.local.search_service.engine.versioned import Shelf, Versions
from retrieval.local.search_service.errors import InvalidArgument, SearchServiceError
from retrieval.local.search_service.models.wanted import Models
from retrieval.local.search_service.text.synonyms import SynonymMap, Synonyms

Progress: TypeAlias = Callable[[str, Iterable[tuple[str, Document]], int], Iterable[tuple[str, Document]]]
"""Passes on the documents of an index (its name, its documents, how many there are), and may say how far it is."""


def _silently(name: str, documents: Iterable[tuple[str, Document]], total: int) -> Iterable[tuple[str, Document]]:
    return documents


class Catalog:
    """With a store, what it holds is loaded at once, and every change is kept there before it is made here."""

    def __init__(self, store: Store | None = None, progress: Progress = _silently, models: Models = NO_MODELS) -> None:
        self._store = store
        self.models = models
        versions = Versions(0 if store is None else store.counter("version"))
        self._indexes = Shelf[LocalIndex]("indexes", "index", versions=versions, store=store)
        self.synonym_maps = Shelf[SynonymMap]("synonymmaps", "synonym map", versions=versions, store=store)
        self.aliases = Shelf[Alias]("aliases", "alias", versions=versions, store=store)
        if store is not None:
            self._restore(store, progress)

    def __iter__(self) -> Iterator[LocalIndex]:
        """The indexes, in the order of their names."""
        return iter(self._indexes)

    def __contains__(self, name: object) -> bool:
        return name in self._indexes

    def get(self, name: str) -> LocalIndex:
        """Raises NotFound."""
        return self._indexes.get(name)

    def target(self, name: str) -> LocalIndex:
        """The index that a request for documents means: one of that name, or the one that an alias stands for."""
        alias = self.aliases.find(name)
        return self._indexes.get(name if alias is None else alias.index)

    def create(self, definition: IndexDefinition, documents: Iterable[tuple[str, Document]] = ()) -> LocalIndex:
        """A new index, with documents that have been checked against it: all of them are kept, or nothing is."""
        self._check_names(definition)

        def make(etag: str) -> LocalIndex:
            index = self._index(definition, etag)
            index.load(documents)
            if self._store is not None and len(index):
                key = definition.key
                self._store.write(definition.name, {fields[key]: fields for _, fields in index.documents()})
            return index

        return self._indexes.create(definition.name, make)

    def put(self, name: str, definition: IndexDefinition, condition: Condition, *, downtime: bool = False) -> bool:
        """Creates the index, or gives it another definition and keeps its documents; True when it existed.

        `downtime` allows parts of analyzers to be added to an index that is there.
        """
        if name != definition.name:
            raise InvalidArgument(f"The index name {definition.name!r} is not the one in the path, {name[:128]!r}.")
        self._check_names(definition)

        def make(existing: LocalIndex | None, etag: str) -> LocalIndex:
            index = self._index(definition, etag)
            if existing is not None:
                updates.check(existing.definition, definition, downtime=downtime)
                existing.copy_to(index)
            return index

        return self._indexes.put(name, make, condition)

    def delete(self, name: str, condition: Condition) -> None:
        """Raises InvalidArgument for an index that an alias stands for."""
        aliases = [alias.name for alias in self.aliases if alias.index == name]
        if aliases:
            raise InvalidArgument(
                f"The index {name!r} is mapped to the alias {aliases[0]!r}: delete or map the alias first."
            )
        self._indexes.delete(name, condition)

    def checked_alias(self, alias: Alias) -> Alias:
        """The same alias, when its name is no index's and its index is there. Raises InvalidArgument."""
        if alias.name in self._indexes:
            raise InvalidArgument(f"The name {alias.name!r} is that of an index.")
        if alias.index not in self._indexes:
            raise InvalidArgument(f"The alias {alias.name!r} names the index {alias.index!r}, which does not exist.")
        return alias

    def keep_documents(self, index: LocalIndex, before: Mapping[str, Document | None], changed: Sequence[str]) -> None:
        """Writes the documents under `changed`, in the order of their last changes, as they are now.

        When that fails they are what they were `before`, and it raises SearchServiceError 503.
        """
        if self._store is None:
            return
        in_order = reversed(dict.fromkeys(reversed(changed)))
        try:
            self._store.write(index.name, {key: index.lookup(key) for key in in_order})
        except SearchServiceError:
            for key, fields in before.items():
                if fields is None:
                    index.remove(key)
                else:
                    index.put(key, fields)
            raise

    def _index(self, definition: IndexDefinition, etag: str) -> LocalIndex:
        return LocalIndex(definition, etag, synonyms=self._synonyms, models=self.models)

    def _synonyms(self, name: str) -> Synonyms | None:
        """The rules of a synonym map as they are now; None for one that was deleted."""
        found = self.synonym_maps.find(name)
        return None if found is None else found.synonyms

    def _check_names(self, definition: IndexDefinition) -> None:
        if definition.name in self.aliases:
            raise SearchServiceError(
                409, "ResourceNameAlreadyInUse", f"The name {definition.name!r} is that of an alias."
            )
        for field in definition.paths.values():
            if field.synonym_map is not None and field.synonym_map not in self.synonym_maps:
                raise InvalidArgument(
                    f"The field {field.name!r} names the synonym map {field.synonym_map[:128]!r}, which does not exist."
                )

    def _restore(self, store: Store, progress: Progress) -> None:
        try:
            for kept in store.resources("synonymmaps"):
                self.synonym_maps.restore(SynonymMap.parse(kept.wire, kept.etag))
            store.drop_orphans()
            for kept in store.resources("indexes"):
                self._indexes.restore(self._restored(store, kept, progress))
            for kept in store.resources("aliases"):
                self.aliases.restore(Alias.parse(kept.wire, kept.etag))
        except SearchServiceError as error:
            raise CannotStore(store.folder, error.message.rstrip(".")) from error

    def _restored(self, store: Store, kept: Kept, progress: Progress) -> LocalIndex:
        index = self._index(definition.parse(kept.wire), kept.etag)
        index.load(progress(kept.name, store.documents(kept.name), store.count(kept.name)))
        return index
