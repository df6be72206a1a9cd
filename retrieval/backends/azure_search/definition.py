"""An index definition of Azure AI Search, read for its fields and their roles. Reference: Indexes - Get."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.errors import BackendMisconfigured, BackendUnavailable
from retrieval.filters.schema import Field, FieldType, Schema
from retrieval.model.definitions import IndexFields

SERVICE = "Azure AI Search"

_COLLECTION: Final = "Collection("
_FACETS: Final = {"Edm.String", "Collection(Edm.String)", "Edm.Int32", "Edm.Int64"}
"""Types whose values a question may name."""

OF_CHUNKS: Final = ("source", "heading_path", "page")
"""What a chunk of a file has in an index of `retrieval.local`, here or in Azure: docs/documents.md."""

_LANGUAGE: Final = re.compile(r"([A-Za-z]{2,3}(?:-[A-Za-z]{2,8})?)\.(?:lucene|microsoft)")

_TYPES: Final[dict[str, FieldType]] = {name: name for name in get_args(FieldType)}


class Part(BaseModel):
    """A part of the definition, with the members that are read here; explicit nulls count as absent."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", defer_build=True)


class FieldName(Part):
    field_name: str


class PrioritizedFields(Part):
    title_field: FieldName | None = None
    prioritized_keywords_fields: list[FieldName] | None = None
    prioritized_content_fields: list[FieldName] | None = None


class SemanticConfiguration(Part):
    name: str
    prioritized_fields: PrioritizedFields


class Semantic(Part):
    default_configuration: str | None = None
    configurations: list[SemanticConfiguration] | None = None


class IndexField(Part):
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


class VectorProfile(Part):
    name: str
    vectorizer: str | None = None


class VectorSearch(Part):
    profiles: list[VectorProfile] | None = None


class IndexDefinition(Part):
    fields: list[IndexField]
    semantic: Semantic | None = None
    vector_search: VectorSearch | None = None


def read_index_fields(index: str, content: bytes, *, configuration: str | None = None) -> IndexFields:
    """The key, the fields of a semantic configuration (None: the default, else the only one), those with a vectorizer.

    Raises BackendUnavailable for what is not a definition, BackendMisconfigured for an index that cannot be
    ranked.
    """
    definition = _definition(index, content)
    key = next((field.name for field in definition.fields if field.key), None)
    found = _configuration(definition.semantic or Semantic(), configuration)
    if key is None or found is None:
        named = "" if configuration is None else f" named {configuration[:128]!r}"
        hint = f"Index {index!r} has no semantic configuration{named}, which retrieval needs."
        raise BackendMisconfigured(SERVICE, status=None, lacks="configuration", hint=hint)
    fields, vectors = found.prioritized_fields, _vectorizable(definition)
    roles = IndexFields(
        key=key,
        semantic_configuration=found.name,
        title=fields.title_field.field_name if fields.title_field else None,
        terms=_names(fields.prioritized_keywords_fields),
        content=_names(fields.prioritized_content_fields),
        vectors=vectors,
        other_vectors=tuple(
            one.name for one in definition.fields if one.vector_search_profile and one.name not in vectors
        ),
    )
    free = [one for one in definition.fields if one.name not in {key, *roles.semantic} and _is_readable(one)]
    readable = {one.name for one in definition.fields if one.retrievable is not False}
    return replace(
        roles,
        labels=OF_CHUNKS if readable.issuperset(OF_CHUNKS) else (),
        facets=tuple(one.name for one in free if one.facetable and one.type in _FACETS),
        dates=tuple(one.name for one in free if one.type == "Edm.DateTimeOffset"),
        languages=_languages(one for one in definition.fields if one.name in roles.semantic),
    )


def read_schema(index: str, content: bytes) -> Schema:
    """The fields as the filter language sees them, those of types that it knows. Raises BackendUnavailable."""
    return {field.name: field for field in _fields(_definition(index, content).fields)}


def _definition(index: str, content: bytes) -> IndexDefinition:
    try:
        return IndexDefinition.model_validate_json(content)
    except (ValidationError, RecursionError):
        raise BackendUnavailable(SERVICE, f"gave a definition of index {index!r} that cannot be read.") from None


def _fields(fields: list[IndexField] | None) -> tuple[Field, ...]:
    """A field without the flag is not filterable: the service always writes it, and vectors are never filterable."""
    known = ((field, _TYPES.get(field.type.removeprefix(_COLLECTION).rstrip(")"))) for field in fields or ())
    return tuple(
        Field(
            name=field.name,
            type=type,
            collection=field.type.startswith(_COLLECTION),
            filterable=field.filterable is True and field.vector_search_profile is None,
            fields=_fields(field.fields),
        )
        for field, type in known
        if type is not None
    )


def _languages(fields: Iterable[IndexField]) -> tuple[str, ...]:
    """Those of the language analyzers, each once. Reference: Add language analyzers to string fields."""
    names = (field.analyzer or field.search_analyzer or "" for field in fields)
    found = (_LANGUAGE.fullmatch(name) for name in names)
    return tuple(dict.fromkeys(one[1] for one in found if one))


def _is_readable(field: IndexField) -> bool:
    """Whether documents come with it, and it does not say who may see them."""
    return bool(field.filterable) and field.retrievable is not False and field.permission_filter is None


def _configuration(semantic: Semantic, named: str | None) -> SemanticConfiguration | None:
    configurations = semantic.configurations or []
    wanted = named or semantic.default_configuration or (configurations[0].name if len(configurations) == 1 else None)
    return next((one for one in configurations if one.name == wanted), None)


def _names(fields: list[FieldName] | None) -> tuple[str, ...]:
    return tuple(field.field_name for field in fields or ())


def _vectorizable(definition: IndexDefinition) -> tuple[str, ...]:
    vector_search = definition.vector_search or VectorSearch()
    profiles = {profile.name for profile in vector_search.profiles or () if profile.vectorizer}
    return tuple(field.name for field in definition.fields if field.vector_search_profile in profiles)
