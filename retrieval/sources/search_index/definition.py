"""Reads the fields and their roles from an index definition of Azure AI Search. Reference: Indexes - Get."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.errors import BackendMisconfigured, BackendUnanswered
from retrieval.filters.schema import Field, FieldType, Schema
from retrieval.model.definitions import IndexFields
from retrieval.sources.search_index.query import SERVICE

_COLLECTION: Final = "Collection("
_FACETS: Final = {"Edm.String", "Collection(Edm.String)", "Edm.Int32", "Edm.Int64"}
"""The field types with values that a question may mention."""

OF_CHUNKS: Final = ("source", "heading_path", "page")
"""Fields of each chunk in an index that `retrieval.local` fills from files, locally or in Azure. See
docs/developing/documents.md."""

_ADDRESS: Final = re.compile(r".*ur[il]|metadata_storage_path", re.IGNORECASE)
_FILE_NAME: Final = re.compile(r".*(?:doc|document|file|storage)_?name", re.IGNORECASE)
"""The usual names of the fields that contain the file name or the address of a document. An index definition does not
mark these fields, and each kind of source uses different names."""

_LANGUAGE: Final = re.compile(r"([A-Za-z]{2,3}(?:-[A-Za-z]{2,8})?)\.(?:lucene|microsoft)")

_TYPES: Final[dict[str, FieldType]] = {name: name for name in get_args(FieldType)}


class DefinitionShape(BaseModel):
    """A part of the definition, with the members that are read here. An optional member may be null."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", defer_build=True)


class FieldName(DefinitionShape):
    field_name: str


class PrioritizedFields(DefinitionShape):
    title_field: FieldName | None = None
    prioritized_keywords_fields: list[FieldName] | None = None
    prioritized_content_fields: list[FieldName] | None = None


class SemanticConfiguration(DefinitionShape):
    name: str
    prioritized_fields: PrioritizedFields


class Semantic(DefinitionShape):
    default_configuration: str | None = None
    configurations: list[SemanticConfiguration] | None = None


class IndexField(DefinitionShape):
    name: str
    type: str = ""
    key: bool | None = None
    filterable: bool | None = None
    facetable: bool | None = None
    retrievable: bool | None = None
    permission_filter: str | None = None
    vector_search_profile: str | None = None
    analyzer: str | None = None
    search_analyzer: str | None = None
    fields: list["IndexField"] | None = None


class VectorProfile(DefinitionShape):
    name: str
    vectorizer: str | None = None


class VectorSearch(DefinitionShape):
    profiles: list[VectorProfile] | None = None


class Alias(DefinitionShape):
    """An alias. It stands for one index."""

    indexes: tuple[str]


class IndexDefinition(DefinitionShape):
    name: str | None = None
    fields: list[IndexField]
    semantic: Semantic | None = None
    vector_search: VectorSearch | None = None

    def by_path(self) -> dict[str, IndexField]:
        """All fields by path, each without the fields within it."""
        return {path: field.model_copy(update={"fields": None}) for path, field in _walk(self.fields)}


def read_index_fields(index: str, content: bytes, *, configuration: str | None = None) -> IndexFields:
    """The roles of the fields in the content of an index definition. Raises BackendUnanswered for content that is not
    an index definition, and BackendMisconfigured."""
    return roles(index, read_definition(index, content), configuration=configuration)


def roles(index: str, definition: IndexDefinition, *, configuration: str | None) -> IndexFields:
    """The roles of an index's fields: the key, the fields of a semantic configuration, the vector fields, and others.
    If `configuration` is None, the default semantic configuration is used. If there is no default, the only
    configuration is used.

    Raises BackendMisconfigured for an index that lacks a key or the semantic configuration.
    """
    key = next((field.name for field in definition.fields if field.key), None)
    semantic = _configuration(definition.semantic or Semantic(), configuration)
    if key is None or semantic is None:
        with_name = "" if configuration is None else f" named {configuration[:128]!r}"
        hint = f"Index {index!r} has no semantic configuration{with_name}, which retrieval needs."
        raise BackendMisconfigured(SERVICE, status=None, lack="configuration", hint=hint)
    fields, vectors = semantic.prioritized_fields, _vectorizable(definition)
    vector_fields = set(vectors)
    semantic_roles = IndexFields(
        key=key,
        semantic_configuration=semantic.name,
        title=fields.title_field.field_name if fields.title_field else None,
        terms=_names(fields.prioritized_keywords_fields),
        content=_names(fields.prioritized_content_fields),
        vectors=vectors,
        other_vectors=tuple(
            field.name for field in definition.fields if field.vector_search_profile and field.name not in vector_fields
        ),
    )
    semantic_fields = set(semantic_roles.semantic)
    roles_taken = semantic_fields | {key}
    other_fields = [field for field in definition.fields if field.name not in roles_taken and _is_readable(field)]
    readable = {field.name for field in definition.fields if field.retrievable is not False}
    return replace(
        semantic_roles,
        labels=OF_CHUNKS if readable.issuperset(OF_CHUNKS) else (),
        facets=tuple(field.name for field in other_fields if field.facetable and field.type in _FACETS),
        dates=tuple(field.name for field in other_fields if field.type == "Edm.DateTimeOffset"),
        address=_named(definition.fields, _ADDRESS),
        file_name=_named(definition.fields, _FILE_NAME),
        languages=_languages(field for path, field in _walk(definition.fields) if path in semantic_fields),
        permissions=any(field.permission_filter for field in definition.fields),
    )


def schema(definition: IndexDefinition) -> Schema:
    """The fields for the filter language. Fields with types that the filter language does not support are left out."""
    return {field.name: field for field in _fields(definition.fields)}


def read_definition(index: str, content: bytes) -> IndexDefinition:
    """Raises BackendUnanswered for content that is not an index definition."""
    try:
        return IndexDefinition.model_validate_json(content)
    except (ValidationError, RecursionError):
        reason = f"gave a definition of index {index!r} that cannot be read."
        raise BackendUnanswered(SERVICE, reason, why="unreadable") from None


def read_alias(name: str, content: bytes) -> str:
    """The index for which an alias stands. Raises BackendUnanswered for content that is not an alias."""
    try:
        return Alias.model_validate_json(content).indexes[0]
    except (ValidationError, RecursionError):
        raise BackendUnanswered(SERVICE, f"gave an alias {name!r} that cannot be read.", why="unreadable") from None


def _fields(fields: list[IndexField] | None) -> tuple[Field, ...]:
    """The fields for the filter language. The service always writes the flag `filterable`, so a field without this flag
    is not filterable. Vector fields are never filterable."""
    typed_fields = ((field, _TYPES.get(field.type.removeprefix(_COLLECTION).rstrip(")"))) for field in fields or ())
    return tuple(
        Field(
            name=field.name,
            type=type,
            collection=field.type.startswith(_COLLECTION),
            filterable=field.filterable is True and field.vector_search_profile is None,
            fields=_fields(field.fields),
        )
        for field, type in typed_fields
        if type is not None
    )


def _walk(fields: Iterable[IndexField], within: str = "") -> Iterator[tuple[str, IndexField]]:
    """All fields with their paths."""
    for field in fields:
        path = f"{within}{field.name}"
        yield path, field
        yield from _walk(field.fields or (), f"{path}/")


def _named(fields: Iterable[IndexField], pattern: re.Pattern[str]) -> str | None:
    """The name of the first retrievable text field that matches `pattern`; None if no field matches."""
    texts = (field.name for field in fields if field.type == "Edm.String" and field.retrievable is not False)
    return next((name for name in texts if pattern.fullmatch(name)), None)


def _languages(fields: Iterable[IndexField]) -> tuple[str, ...]:
    """The languages of the language analyzers, each once. Reference: Add language analyzers to string fields."""
    names = (field.analyzer or field.search_analyzer or "" for field in fields)
    matches = (_LANGUAGE.fullmatch(name) for name in names)
    return tuple(dict.fromkeys(match[1] for match in matches if match))


def _is_readable(field: IndexField) -> bool:
    """Whether the field is filterable and retrievable, and is not a permission filter."""
    return bool(field.filterable) and field.retrievable is not False and field.permission_filter is None


def _configuration(semantic: Semantic, name: str | None) -> SemanticConfiguration | None:
    configurations = semantic.configurations or []
    wanted_name = (
        name or semantic.default_configuration or (configurations[0].name if len(configurations) == 1 else None)
    )
    return next((configuration for configuration in configurations if configuration.name == wanted_name), None)


def _names(fields: list[FieldName] | None) -> tuple[str, ...]:
    return tuple(field.field_name for field in fields or ())


def _vectorizable(definition: IndexDefinition) -> tuple[str, ...]:
    vector_search = definition.vector_search or VectorSearch()
    profiles = {profile.name for profile in vector_search.profiles or () if profile.vectorizer}
    return tuple(field.name for field in definition.fields if field.vector_search_profile in profiles)
