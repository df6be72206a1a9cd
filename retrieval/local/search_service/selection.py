"""`$filter` over an index: the project's one filter tree, read, bound to the index and made a test of documents."""

from collections.abc import Callable

from retrieval.filters import bind, evaluate, odata
from retrieval.filters.schema import Field, FieldType, Schema
from retrieval.filters.tree import IsMatch
from retrieval.local.search_service import simple_query
from retrieval.local.search_service.definition import IndexDefinition
from retrieval.local.search_service.documents import Document
from retrieval.local.search_service.errors import Unsupported
from retrieval.local.search_service.index import LocalIndex

Passes = Callable[[Document], bool]

_TYPES: dict[str, FieldType] = {
    "Edm.String": "Edm.String",
    "Edm.Int32": "Edm.Int32",
    "Edm.Int64": "Edm.Int64",
    "Edm.Double": "Edm.Double",
    "Edm.Boolean": "Edm.Boolean",
    "Edm.DateTimeOffset": "Edm.DateTimeOffset",
    "Edm.GeographyPoint": "Edm.GeographyPoint",
}


def compile_filter(text: str, index: LocalIndex) -> Passes:
    """Raises BadFilter with the position, or Unsupported for a search within the filter that this service lacks."""
    filter = bind.bind(odata.read(text), schema(index.definition))
    return evaluate.predicate(filter, matches=lambda match: _matching(match, index))


def schema(definition: IndexDefinition) -> Schema:
    """The index's fields as the filter language sees them."""
    return {
        field.name: Field(
            name=field.name, type=_TYPES[field.type], collection=field.collection, filterable=field.filterable
        )
        for field in definition.fields.values()
    }


def _matching(match: IsMatch, index: LocalIndex) -> evaluate.Predicate:
    if match.scoring:
        raise Unsupported("search.ismatchscoring in a filter")
    if match.query_type == "full":
        raise Unsupported("queryType 'full' (Lucene syntax) in search.ismatch")
    query = simple_query.read(match.search, mode=match.mode)
    fields = match.fields or tuple(field.name for field in index.definition.searchable)
    found = index.text.search(query, fields=fields, mode=match.mode, limit=max(len(index), 1))
    key = index.definition.key
    keys = {index.document(ordinal)[key] for _, ordinal in found}
    return lambda document: document[key] in keys
