"""`$filter` over an index: the project's one filter tree, read, bound to the index and made a test of documents."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from retrieval.filters import bind, evaluate, odata
from retrieval.filters.schema import Field, FieldType, Schema
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine.filter_searches import FilterSearches, Score
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.pushdown import Pushed

Passes = Callable[[Document], bool]

_FIRST_CANDIDATES = 256

_TYPES: dict[str, FieldType] = {
    "Edm.String": "Edm.String",
    "Edm.Int32": "Edm.Int32",
    "Edm.Int64": "Edm.Int64",
    "Edm.Double": "Edm.Double",
    "Edm.Boolean": "Edm.Boolean",
    "Edm.DateTimeOffset": "Edm.DateTimeOffset",
    "Edm.GeographyPoint": "Edm.GeographyPoint",
    "Edm.ComplexType": "Edm.ComplexType",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A filter in two parts that both must pass: `within` is for the text engine, `passes` for each of its documents.

    None passes everything. `score` is what the searches within the filter add to the score of what passes.
    """

    within: Pushed | None = None
    passes: Passes | None = None
    score: Score | None = None

    @property
    def is_everything(self) -> bool:
        return self.within is None and self.passes is None

    def ordinals(self, index: LocalIndex) -> Iterator[int]:
        """The documents that pass, in the order in which they came."""
        for ordinal in self.candidates(index):
            if self.passes is None or self.passes(index.document(ordinal)):
                yield ordinal

    def candidates(self, index: LocalIndex) -> Iterator[int]:
        """What `within` leaves, in the order in which it came."""
        if self.within is None:
            yield from (ordinal for ordinal, _ in index.documents())
            return
        given, limit = 0, _FIRST_CANDIDATES
        while True:
            found = index.text.matching(self.within, limit=limit)
            yield from found[given:]
            if len(found) < limit:
                return
            given, limit = limit, limit * 8


def compile_filter(text: str | None, index: LocalIndex, searches: FilterSearches | None = None) -> Selection:
    """`searches` are shared by the filters of one request, so that their number is bounded.

    Raises BadFilter with the position; InvalidArgument or Unsupported for a search within the filter.
    """
    if not text:
        return Selection()
    within, left = index.text.filters.split(bind.bind(odata.read(text), schema(index.definition)))
    if left is None:
        return Selection(within=within)
    searches = searches or FilterSearches(index)
    passes = evaluate.predicate(left, matches=searches.matches)
    return Selection(within=within, passes=passes, score=searches.score(left))


def schema(definition: IndexDefinition) -> Schema:
    """The index's fields as the filter language sees them."""
    return {name: _field(field) for name, field in definition.fields.items() if field.type in _TYPES}


def _field(field: IndexField) -> Field:
    return Field(
        name=field.own_name,
        type=_TYPES[field.type],
        collection=field.collection,
        filterable=field.filterable,
        fields=tuple(_field(sub) for sub in field.fields.values()),
    )
