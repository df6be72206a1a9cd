"""The fields of an index definition: types, attributes, sub-fields of complex types, vectors.

Rules: https://learn.microsoft.com/azure/search/search-howto-complex-data-types and
https://learn.microsoft.com/rest/api/searchservice/supported-data-types
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.text.analysis import ANALYZERS, DEFAULT_ANALYZER, Analyzer
from retrieval.local.search_service.text.lexical.definition import Lexicon

MAX_FIELDS: Final = 1000
MAX_NESTING: Final = 10
MAX_COMPLEX_COLLECTIONS: Final = 40
MAX_DIMENSIONS: Final = 4096

COMPLEX: Final = "Edm.ComplexType"
STRING: Final = "Edm.String"

VECTOR_TYPES: Final = ("Edm.Single", "Edm.Half", "Edm.Int16", "Edm.SByte")
"""Element types of a vector field."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")
_LACKING = (
    "permissionFilter",
    "sensitivityLabel",
    "sensitivityLabelId",
    "sensitivityLabelName",
    "sourceDocumentId",
    "sharepointSiteUrl",
)
"""Attributes of preview versions that this service lacks."""

_SCALARS = frozenset(
    f"Edm.{name}" for name in ("String", "Int32", "Int64", "Double", "Boolean", "DateTimeOffset", "GeographyPoint")
)


class FieldWire(BaseModel):
    """A field as the REST API receives it."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)

    name: str
    type: str
    key: bool | None = None
    retrievable: bool | None = None
    stored: bool | None = None
    searchable: bool | None = None
    filterable: bool | None = None
    sortable: bool | None = None
    facetable: bool | None = None
    analyzer: str | None = None
    index_analyzer: str | None = None
    search_analyzer: str | None = None
    normalizer: str | None = None
    dimensions: int | None = None
    vector_search_profile: str | None = None
    vector_encoding: str | None = None
    synonym_maps: list[str] | None = None
    permission_filter: str | None = None
    sensitivity_label: bool | None = None
    sensitivity_label_id: bool | None = None
    sensitivity_label_name: bool | None = None
    source_document_id: bool | None = None
    sharepoint_site_url: bool | None = None
    fields: list["FieldWire"] | None = None

    @property
    def attributes(self) -> Mapping[str, object]:
        """What a complex field must not have: everything but its name, its type and its sub-fields."""
        return {to_camel(name): value for name, value in self if name not in ("name", "type", "fields")}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexField:
    """One field; `name` is its whole path (`Address/City`).

    `type` is the type of an element, `collection` says whether there may be several, `repeated` whether a document may
    hold several because the field or a complex field around it is a collection. Vector fields have `dimensions`, and
    may be not `stored`: then a vector is searched, but neither returned nor kept by a merge that does not name it.
    """

    name: str
    type: str
    collection: bool
    key: bool
    retrievable: bool
    searchable: bool
    filterable: bool
    sortable: bool
    facetable: bool
    analyzer: Analyzer
    search_analyzer: Analyzer
    repeated: bool = False
    fields: Mapping[str, "IndexField"] = field(default_factory=dict)
    dimensions: int | None = None
    profile: str | None = None
    synonym_map: str | None = None
    stored: bool = True

    @property
    def own_name(self) -> str:
        """The name within the field around it."""
        return self.name.rpartition("/")[2]


def read(wires: Sequence[FieldWire], lexicon: Lexicon) -> dict[str, IndexField]:
    """The fields by name; `lexicon` has their analyzers.

    Raises InvalidArgument where they break a rule, Unsupported for what this service lacks.
    """
    fields = _fields(wires, lexicon, around=None)
    everything = list(walk(fields))
    if not 0 < len(everything) <= MAX_FIELDS:
        raise InvalidArgument(f"An index has 1 to {MAX_FIELDS} fields; this definition has {len(everything)}.")
    if sum(one.type == COMPLEX and one.collection for one in everything) > MAX_COMPLEX_COLLECTIONS:
        raise InvalidArgument(f"An index has at most {MAX_COMPLEX_COLLECTIONS} complex collections.")
    return fields


def walk(fields: Mapping[str, IndexField]) -> Iterator[IndexField]:
    """Every field, a complex one before its sub-fields."""
    for one in fields.values():
        yield one
        yield from walk(one.fields)


def _fields(wires: Sequence[FieldWire], lexicon: Lexicon, *, around: IndexField | None) -> dict[str, IndexField]:
    fields: dict[str, IndexField] = {}
    taken: set[str] = set()
    for wire in wires:
        if wire.name.lower() in taken:
            raise InvalidArgument(f"The field name {wire.name[:128]!r} occurs twice.")
        taken.add(wire.name.lower())
        _refuse_lacking(wire)
        fields[wire.name] = _field(wire, lexicon, around)
    return fields


def _refuse_lacking(wire: FieldWire) -> None:
    for name in _LACKING:
        if wire.attributes[name]:
            raise Unsupported(f"{name} (field {wire.name[:128]!r})")


def _field(wire: FieldWire, lexicon: Lexicon, around: IndexField | None) -> IndexField:
    if not _NAME.fullmatch(wire.name) or wire.name.startswith("azureSearch"):
        raise InvalidArgument(f"Invalid field name {wire.name[:128]!r}: a letter, then letters, digits, underscores.")
    path = wire.name if around is None else f"{around.name}/{wire.name}"
    collection = wire.type.startswith("Collection(") and wire.type.endswith(")")
    element = wire.type[len("Collection(") : -1] if collection else wire.type
    repeated = collection or (around is not None and around.repeated)
    if element == COMPLEX:
        return _complex(wire, path, lexicon, collection=collection, repeated=repeated)
    if wire.fields:
        raise InvalidArgument(f"The field {path!r} of type {wire.type} cannot have sub-fields.")
    if element in VECTOR_TYPES or element == "Edm.Byte":
        if around is not None:
            raise InvalidArgument(f"The vector field {path!r} cannot be a sub-field.")
        return _vector(wire, element, collection=collection)
    if element not in _SCALARS:
        raise InvalidArgument(f"The field {path!r} has the unknown type {wire.type[:128]!r}.")
    if wire.dimensions is not None or wire.vector_search_profile or wire.vector_encoding:
        raise InvalidArgument(f"The field {path!r} of type {wire.type} cannot have vector attributes.")
    if around is not None and wire.key:
        raise InvalidArgument(f"The sub-field {path!r} cannot be the key.")
    return _plain(wire, path, element, lexicon, collection=collection, repeated=repeated)


def _plain(
    wire: FieldWire, path: str, element: str, lexicon: Lexicon, *, collection: bool, repeated: bool
) -> IndexField:
    if wire.stored is False:
        raise InvalidArgument(f"The field {path!r} cannot have stored false: only vector fields can.")
    if wire.normalizer:
        raise Unsupported(f"normalizer (field {path!r})")
    searchable = element == STRING if wire.searchable is None else wire.searchable
    if searchable and element != STRING:
        raise InvalidArgument(f"The field {path!r} of type {wire.type} cannot be searchable.")
    if repeated and wire.sortable:
        kind = "collection field" if collection else "field within a collection,"
        raise InvalidArgument(f"The {kind} {path!r} cannot be sortable.")
    analyzer, search_analyzer = lexicon.of_field(
        path, both=wire.analyzer, index=wire.index_analyzer, search=wire.search_analyzer
    )
    return IndexField(
        name=path,
        type=element,
        collection=collection,
        repeated=repeated,
        key=bool(wire.key),
        retrievable=wire.retrievable is not False,
        searchable=searchable,
        filterable=wire.filterable is not False,
        sortable=wire.sortable is not False and not repeated,
        facetable=wire.facetable is not False and element != "Edm.GeographyPoint",
        analyzer=analyzer,
        search_analyzer=search_analyzer,
        synonym_map=_synonym_map(wire, path, searchable=searchable),
    )


def _synonym_map(wire: FieldWire, path: str, *, searchable: bool) -> str | None:
    maps = wire.synonym_maps or []
    if len(maps) > 1 or (maps and not searchable):
        raise InvalidArgument(f"The field {path!r} has synonymMaps: a searchable field has one at most, others none.")
    return maps[0] if maps else None


def _complex(wire: FieldWire, path: str, lexicon: Lexicon, *, collection: bool, repeated: bool) -> IndexField:
    if path.count("/") >= MAX_NESTING:
        raise InvalidArgument(f"Fields nest at most {MAX_NESTING} levels deep.")
    if any(value not in (None, False, []) for value in wire.attributes.values()):
        names = ", ".join(sorted(name for name, value in wire.attributes.items() if value))
        raise InvalidArgument(f"The complex field {path!r} cannot have {names}: its sub-fields have attributes.")
    if not wire.fields:
        raise InvalidArgument(f"The complex field {path!r} has no sub-fields.")
    bare = _bare(path, COMPLEX, collection=collection, repeated=repeated)
    subfields = _fields(wire.fields, lexicon, around=bare)
    return _bare(
        path,
        COMPLEX,
        collection=collection,
        repeated=repeated,
        retrievable=any(one.retrievable for one in subfields.values()),
        fields=subfields,
    )


def _vector(wire: FieldWire, element: str, *, collection: bool) -> IndexField:
    if wire.vector_encoding is not None or element == "Edm.Byte":
        raise Unsupported(f"binary vectors (field {wire.name!r})")
    if not collection:
        raise InvalidArgument(f"The field {wire.name!r} has the type {element}, which only a collection can have.")
    if wire.dimensions is None or not 2 <= wire.dimensions <= MAX_DIMENSIONS:
        raise InvalidArgument(f"The vector field {wire.name!r} must have 2 to {MAX_DIMENSIONS} dimensions.")
    if not wire.vector_search_profile:
        raise InvalidArgument(f"The vector field {wire.name!r} must name a vectorSearchProfile.")
    if wire.searchable is False:
        raise InvalidArgument(f"The vector field {wire.name!r} must be searchable.")
    if wire.stored is False and wire.retrievable:
        raise InvalidArgument(f"The vector field {wire.name!r} is not stored: it cannot be retrievable.")
    for name, value in (("filterable", wire.filterable), ("sortable", wire.sortable), ("facetable", wire.facetable)):
        if value:
            raise InvalidArgument(f"The vector field {wire.name!r} cannot be {name}.")
    return _bare(
        wire.name,
        element,
        collection=True,
        repeated=True,
        retrievable=wire.retrievable is not False and wire.stored is not False,
        dimensions=wire.dimensions,
        profile=wire.vector_search_profile,
        stored=wire.stored is not False,
    )


def _bare(
    path: str,
    element: str,
    *,
    collection: bool,
    repeated: bool,
    retrievable: bool = True,
    fields: Mapping[str, IndexField] | None = None,
    dimensions: int | None = None,
    profile: str | None = None,
    stored: bool = True,
) -> IndexField:
    """A field that is in no text index, no filter and no order."""
    return IndexField(
        name=path,
        type=element,
        collection=collection,
        repeated=repeated,
        key=False,
        retrievable=retrievable,
        searchable=False,
        filterable=False,
        sortable=False,
        facetable=False,
        analyzer=ANALYZERS[DEFAULT_ANALYZER],
        search_analyzer=ANALYZERS[DEFAULT_ANALYZER],
        fields=fields or {},
        dimensions=dimensions,
        profile=profile,
        stored=stored,
    )
