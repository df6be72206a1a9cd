"""An index definition as the REST API receives it: checked, and what this service does not do refused by name."""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.analysis import ANALYZERS, DEFAULT_ANALYZER, Analyzer
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence

MAX_FIELDS = 1000

_INDEX_NAME = re.compile(r"(?=.{2,128}$)[a-z0-9](?:[a-z0-9_]|-(?![-_]))*(?<!-)")
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")

_STRING = "Edm.String"
_SCALARS = frozenset(
    f"Edm.{name}" for name in ("String", "Int32", "Int64", "Double", "Boolean", "DateTimeOffset", "GeographyPoint")
)
_LATER = frozenset(f"Edm.{name}" for name in ("ComplexType", "Single", "Half", "Int16", "SByte", "Byte"))


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


class _FieldWire(_Wire):
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
    fields: list[Any] | None = None


class _FieldName(_Wire):
    field_name: str


class _PrioritizedFields(_Wire):
    title_field: _FieldName | None = None
    prioritized_content_fields: list[_FieldName] | None = None
    prioritized_keywords_fields: list[_FieldName] | None = None


class _ConfigurationWire(_Wire):
    name: str
    prioritized_fields: _PrioritizedFields
    ranking_order: str | None = None
    flighting_opt_in: bool | None = None


class _SemanticWire(_Wire):
    default_configuration: str | None = None
    configurations: list[_ConfigurationWire] | None = None


class _IndexWire(_Wire):
    etag: str | None = Field(None, alias="@odata.etag")
    context: str | None = Field(None, alias="@odata.context")
    name: str
    description: str | None = None
    fields: list[_FieldWire]
    semantic: _SemanticWire | None = None
    cors_options: dict[str, Any] | None = None
    similarity: dict[str, Any] | None = None
    default_scoring_profile: str | None = None
    scoring_profiles: list[Any] | None = None
    suggesters: list[Any] | None = None
    analyzers: list[Any] | None = None
    tokenizers: list[Any] | None = None
    token_filters: list[Any] | None = None
    char_filters: list[Any] | None = None
    normalizers: list[Any] | None = None
    vector_search: dict[str, Any] | None = None
    encryption_key: dict[str, Any] | None = None
    permission_filter_option: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexField:
    """One field. `type` is the type of an element, `collection` says whether there may be several."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticConfiguration:
    """Names of the fields that the semantic ranker reads; `title` is None where there is none."""

    name: str
    title: str | None
    content: tuple[str, ...]
    keywords: tuple[str, ...]

    @property
    def heading(self) -> tuple[str, ...]:
        """Title and keywords."""
        return self.keywords if self.title is None else (self.title, *self.keywords)

    @property
    def fields(self) -> tuple[str, ...]:
        return (*self.heading, *self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDefinition:
    """`wire` is the definition as it was sent, to be given back."""

    name: str
    fields: dict[str, IndexField]
    key: str
    configurations: dict[str, SemanticConfiguration]
    default_configuration: str | None
    wire: dict[str, Any]

    @property
    def searchable(self) -> tuple[IndexField, ...]:
        return tuple(field for field in self.fields.values() if field.searchable)


def parse(document: dict[str, Any]) -> IndexDefinition:
    """Raises InvalidArgument where the definition breaks a rule, Unsupported for what this service lacks."""
    try:
        wire = _IndexWire.model_validate(document)
    except ValidationError as error:
        raise InvalidArgument(f"The index definition is invalid: {sentence(error)}") from error
    if not _INDEX_NAME.fullmatch(wire.name):
        raise InvalidArgument(
            f"Invalid index name {wire.name!r}: 2 to 128 lower-case letters, digits, dashes and underscores, "
            "beginning and ending with a letter or digit."
        )
    _refuse_unsupported(wire)
    fields = _fields(wire)
    configurations = _configurations(wire.semantic, fields)
    return IndexDefinition(
        name=wire.name,
        fields=fields,
        key=_key(fields),
        configurations=configurations,
        default_configuration=_default(wire.semantic, configurations),
        wire={name: value for name, value in document.items() if not name.startswith("@odata.")},
    )


def _refuse_unsupported(wire: _IndexWire) -> None:
    lacking = {
        "scoringProfiles": wire.scoring_profiles,
        "defaultScoringProfile": wire.default_scoring_profile,
        "suggesters": wire.suggesters,
        "analyzers (custom)": wire.analyzers,
        "tokenizers": wire.tokenizers,
        "tokenFilters": wire.token_filters,
        "charFilters": wire.char_filters,
        "normalizers": wire.normalizers,
        "encryptionKey": wire.encryption_key,
        "vectorSearch": wire.vector_search and any(wire.vector_search.values()),
        "permissionFilterOption": wire.permission_filter_option not in (None, "disabled"),
        "similarity other than BM25 with its default parameters": not _is_plain_bm25(wire.similarity),
    }
    for name, value in lacking.items():
        if value:
            raise Unsupported(f"{name} in an index definition")


def _is_plain_bm25(similarity: dict[str, Any] | None) -> bool:
    wanted = {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": 1.2, "b": 0.75}
    return all(value is None or wanted.get(name) == value for name, value in (similarity or {}).items())


def _fields(wire: _IndexWire) -> dict[str, IndexField]:
    if not 0 < len(wire.fields) <= MAX_FIELDS:
        raise InvalidArgument(f"An index has 1 to {MAX_FIELDS} fields; this definition has {len(wire.fields)}.")
    fields: dict[str, IndexField] = {}
    for field in wire.fields:
        if any(field.name.lower() == name.lower() for name in fields):
            raise InvalidArgument(f"The field name {field.name!r} occurs twice.")
        fields[field.name] = _field(field)
    return fields


def _field(wire: _FieldWire) -> IndexField:
    if not _FIELD_NAME.fullmatch(wire.name) or wire.name.startswith("azureSearch"):
        raise InvalidArgument(f"Invalid field name {wire.name!r}: a letter, then letters, digits and underscores.")
    element, collection = _type(wire)
    for name, value in (("normalizer", wire.normalizer), ("synonymMaps", wire.synonym_maps)):
        if value:
            raise Unsupported(f"{name} (field {wire.name!r})")
    searchable = element == _STRING if wire.searchable is None else wire.searchable
    if searchable and element != _STRING:
        raise InvalidArgument(f"The field {wire.name!r} of type {wire.type} cannot be searchable.")
    if collection and wire.sortable:
        raise InvalidArgument(f"The collection field {wire.name!r} cannot be sortable.")
    return IndexField(
        name=wire.name,
        type=element,
        collection=collection,
        key=bool(wire.key),
        retrievable=wire.retrievable is not False,
        searchable=searchable,
        filterable=wire.filterable is not False,
        sortable=wire.sortable is not False and not collection,
        facetable=wire.facetable is not False,
        analyzer=_analyzer(wire.index_analyzer or wire.analyzer, wire.name),
        search_analyzer=_analyzer(wire.search_analyzer or wire.analyzer, wire.name),
    )


def _type(wire: _FieldWire) -> tuple[str, bool]:
    collection = wire.type.startswith("Collection(") and wire.type.endswith(")")
    element = wire.type[len("Collection(") : -1] if collection else wire.type
    if element in _LATER or wire.fields or wire.dimensions is not None or wire.vector_search_profile:
        raise Unsupported(f"the type {wire.type} (field {wire.name!r})")
    if element not in _SCALARS:
        raise InvalidArgument(f"The field {wire.name!r} has the unknown type {wire.type!r}.")
    return element, collection


def _analyzer(name: str | None, field: str) -> Analyzer:
    analyzer = ANALYZERS.get(name or DEFAULT_ANALYZER)
    if analyzer is None:
        raise Unsupported(f"the analyzer {name!r} (field {field!r})")
    return analyzer


def _key(fields: dict[str, IndexField]) -> str:
    keys = [field for field in fields.values() if field.key]
    if len(keys) != 1:
        raise InvalidArgument(f"An index has exactly one key field; this definition has {len(keys)}.")
    if keys[0].type != _STRING or keys[0].collection or not keys[0].retrievable:
        raise InvalidArgument(f"The key field {keys[0].name!r} must be of type Edm.String and retrievable.")
    return keys[0].name


def _configurations(semantic: _SemanticWire | None, fields: dict[str, IndexField]) -> dict[str, SemanticConfiguration]:
    found: dict[str, SemanticConfiguration] = {}
    for wire in (semantic and semantic.configurations) or ():
        if wire.name in found:
            raise InvalidArgument(f"The semantic configuration {wire.name!r} occurs twice.")
        parts = wire.prioritized_fields
        configuration = SemanticConfiguration(
            name=wire.name,
            title=None if parts.title_field is None else parts.title_field.field_name,
            content=tuple(field.field_name for field in parts.prioritized_content_fields or ()),
            keywords=tuple(field.field_name for field in parts.prioritized_keywords_fields or ()),
        )
        _check_semantic_fields(configuration, fields)
        found[wire.name] = configuration
    return found


def _check_semantic_fields(configuration: SemanticConfiguration, fields: dict[str, IndexField]) -> None:
    if not configuration.fields:
        raise InvalidArgument(f"The semantic configuration {configuration.name!r} names no field.")
    for name in configuration.fields:
        field = fields.get(name)
        if field is None or field.type != _STRING or not field.searchable or not field.retrievable:
            raise InvalidArgument(
                f"The semantic configuration {configuration.name!r} names {name!r}, "
                "which is not a searchable and retrievable string field of the index."
            )


def _default(semantic: _SemanticWire | None, configurations: dict[str, SemanticConfiguration]) -> str | None:
    name = semantic and semantic.default_configuration
    if name and name not in configurations:
        raise InvalidArgument(f"The default semantic configuration {name!r} does not exist.")
    return name or None
