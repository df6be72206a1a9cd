"""The kinds whose documents are in an index of the search service: `searchIndex`, and the kinds whose index Azure's
ingestion makes and fills.

The ingestion runs in the customer's search service. This service only searches the index. The created resources may
state the name of the index. Otherwise an update keeps the stored name, and the index of a new source gets the name of
the source with `-index` at the end. Members that only the ingestion reads are stored and shown without their secrets,
because this service never calls the ingestion.

The query hints of a knowledge source, in previews since 2026-08-01-preview, name the fields that a plan may filter by,
and the values that it may boost. The limits of filters are from the how-to "Create a search index knowledge source" of
September 2026. We apply the same limits to boosts.

Sources: the models of azure-search-documents 11.7.0b2 to 12.1.0b2, such as `SearchIndexKnowledgeSourceQueryHints`, and
the REST specification `stable/2026-10-01/search.json`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel, to_snake
from pydantic_core import to_json

from retrieval.contracts.azure.kinds.kind import Kind, Members, respell
from retrieval.contracts.azure.request_body import Shape, Wire, distinct, filter_of
from retrieval.errors import BadRequest
from retrieval.model import search as hub
from retrieval.model.definitions import INGESTED as INGESTED_KINDS
from retrieval.model.definitions import Source

LONGEST: Final = 24_000
MOST_HINTS: Final = 5
LONGEST_VALUE: Final = 128
MOST_CHARACTERS: Final = 2_048
LARGEST_BOOST: Final = 1_000_000.0

REDACTED: Final = "<redacted>"
"""The text that replaces a secret. A caller may send this text back as the value of a secret."""

_NAME: Final = re.compile(r"key|secret|password|pwd|token|credential$", re.IGNORECASE)
"""Matches the names of members that may contain a secret."""

_CONNECTION: Final = re.compile(r"connection_?string", re.IGNORECASE)
_IN_TEXT: Final = re.compile(r"(key|secret|password|pwd|token|code|sig|signature|sas)\s*=", re.IGNORECASE)
_OPEN_PART: Final = re.compile(
    r"\s*((resourceid|sharepointonlineendpoint|applicationid|tenantid|federatedcredentialobjectid|database|server"
    r"|initial catalog|data source|connection timeout|accountname|defaultendpointsprotocol|endpointsuffix)"
    r"\s*=[^\"'{}]*)?",
    re.IGNORECASE | re.ASCII,
)
"""Matches the parts of a connection string that are not secret."""

IngestionText: TypeAlias = Annotated[str, Field(max_length=4_000)]
"""A text for the ingestion, such as a connection string, a path, a name or a date."""


def _not_one(boost: float) -> float:
    if boost == 1:
        raise ValueError("a boost must not be 1")
    return boost


def _short_enough(values: list[str]) -> list[str]:
    if sum(map(len, values)) > MOST_CHARACTERS:
        raise ValueError(f"the values of one hint have more than {MOST_CHARACTERS} characters")
    return values


FieldName: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_VALUE)]
Factor: TypeAlias = Annotated[float, Field(gt=0, le=LARGEST_BOOST), AfterValidator(_not_one)]
Values: TypeAlias = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_VALUE)]],
    Field(max_length=MOST_CHARACTERS),
    AfterValidator(_short_enough),
]
Instructions: TypeAlias = Annotated[str, Field(max_length=20_000)]


class FilterHint(Wire):
    field: FieldName
    field_values: Values
    filter_instructions: Instructions | None = None


class Boost(Wire):
    """A boost. The kind `fieldValue` requires a `field`, and the kind `multiWordExpression` must not have one."""

    kind: Literal["fieldValue", "multiWordExpression"]
    boost_instructions: Instructions | None = None
    field: FieldName | None = None
    field_values: Values | None = None
    boost: Factor

    @model_validator(mode="after")
    def _field_of_its_kind(self) -> "Boost":
        if (self.kind == "fieldValue") is (self.field is None):
            raise ValueError("a boost of the kind fieldValue has a field, one of the kind multiWordExpression has none")
        return self


_ONE_A_FIELD: Final = distinct("field", "two filter hints name the same field")


class QueryHints(Wire):
    filters: Annotated[list[FilterHint], Field(max_length=MOST_HINTS, fail_fast=True), _ONE_A_FIELD] | None = None
    boosts: Annotated[list[Boost], Field(max_length=MOST_HINTS, fail_fast=True)] | None = None


class Schedule(Wire):
    interval: IngestionText
    start_time: IngestionText | None = None


class FlatIngestion(Wire):
    """The ingestion parameters of 2025-08-01-preview, which are next to `containerName` there. The members of models
    and identities depend on their kind, so they are not checked."""

    identity: dict[str, Any] | None = None
    embedding_model: dict[str, Any] | None = Field(default=None, repr=False)
    chat_completion_model: dict[str, Any] | None = Field(default=None, repr=False)
    disable_image_verbalization: bool | None = None
    ingestion_schedule: Schedule | None = None


_ELSEWHERE: Final = frozenset({"query_hints", "created_resources", *FlatIngestion.model_fields})
"""The members of a kind whose index is made that are not stored at their place among those of the ingestion."""


def _index_members(source: Source) -> Members:
    return {
        "search_index_name": source.index,
        "source_data_select": ",".join(source.source_fields) or None,
        "source_data_fields": [{"name": name} for name in source.source_fields] or None,
        "search_fields": [{"name": name} for name in source.search_fields] or None,
        "semantic_configuration_name": source.semantic_configuration,
        "base_filter": source.base_filter,
        "query_hints": respell(source.query_hints, to_snake),
    }


def _read_index(source: Source, parameters: Members) -> Source:
    selected_names = [name.strip() for name in (parameters.get("source_data_select") or "").split(",")]
    return replace(
        source,
        index=parameters.get("search_index_name") or "",
        source_fields=_names(parameters, "source_data_fields") or tuple(filter(None, selected_names)),
        search_fields=_names(parameters, "search_fields"),
        semantic_configuration=parameters.get("semantic_configuration_name"),
        base_filter=parameters.get("base_filter"),
        query_hints=respell(parameters.get("query_hints"), to_camel),
    )


def _check_index(parameters: Members) -> None:
    filter_of(parameters.get("base_filter"), target="searchIndexParameters.baseFilter")


def _names(members: Members, name: str) -> tuple[str, ...]:
    return tuple(item["name"] for item in members.get(name) or ())


def _ingested_members(source: Source) -> Members:
    """The parameters of a source. The created resources are the stored resources and the index. The flat ingestion
    parameters are there twice: each version shows them at their place."""
    stored: Members = source.ingestion or {}
    return {
        **(stored.get("ingestion_parameters") or {}),
        **stored,
        "created_resources": {**(source.created or {}), "index": source.index},
        "query_hints": respell(source.query_hints, to_snake),
    }


def _read_ingested(source: Source, parameters: Members) -> Source:
    """The source with its query hints, its created resources and the members that the ingestion reads. The index of the
    source is empty if the created resources do not name an index."""
    resources = parameters.get("created_resources") or {}
    flat = {name: parameters[name] for name in FlatIngestion.model_fields if parameters.get(name) is not None}
    others = {name: value for name, value in parameters.items() if name not in _ELSEWHERE}
    nested = {**flat, **(parameters.get("ingestion_parameters") or {})}
    return replace(
        source,
        index=resources.get("index") or "",
        query_hints=respell(parameters.get("query_hints"), to_camel),
        ingestion=without_secrets(respell({**others, "ingestion_parameters": nested or None}, str)) or None,
        created={name: text for name, text in resources.items() if name != "index"} or None,
    )


def with_index(source: Source) -> Source:
    """The source. If Azure's ingestion makes its index and the name of the index is empty, the name becomes Azure's
    default: the name of the source with `-index` at the end."""
    is_unnamed = source.kind in INGESTED_KINDS and not source.index
    return replace(source, index=f"{source.name}-index") if is_unnamed else source


def _check_length(parameters: Members) -> None:
    """Refuses parameters that are too long for a store of definitions. Raises BadRequest."""
    if len(to_json(parameters)) > LONGEST:
        raise BadRequest(f"The parameters of the knowledge source are longer than {LONGEST:,} bytes.")


def without_secrets(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members. `<redacted>` replaces each text that is a secret or may contain a secret."""
    return {name: _open(name, value) for name, value in members.items()}


def _open(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [_open(name, item) for item in value]
    return REDACTED if isinstance(value, str) and _is_secret(name, value) else value


def _is_secret(name: str, text: str) -> bool:
    if _CONNECTION.search(name):
        return not all(map(_OPEN_PART.fullmatch, text.split(";")))
    return bool(_NAME.search(name) or _IN_TEXT.search(text))


def hints_of(members: Mapping[str, object]) -> hub.QueryHints | None:
    """The query hints from the members that a definition or a call states. Hints that are not valid are left out. None
    if no hint is left."""
    filters = tuple(
        hub.FilterHint(field=hint.field, values=tuple(hint.field_values), instructions=hint.filter_instructions or "")
        for hint in _valid(FilterHint, members.get("filters"))
    )
    boosts = tuple(
        hub.BoostHint(
            field=hint.field,
            values=tuple(hint.field_values or ()),
            factor=hint.boost,
            instructions=hint.boost_instructions or "",
        )
        for hint in _valid(Boost, members.get("boosts"))
    )
    return hub.QueryHints(filters=filters, boosts=boosts) if filters or boosts else None


def _valid(shape: type[Shape], values: object) -> Iterator[Shape]:
    for value in values if isinstance(values, list | tuple) else ():
        try:
            yield shape.model_validate(value)
        except ValidationError:
            continue


SEARCH_INDEX: Final = Kind(members=_index_members, read=_read_index, check=_check_index)
INGESTED: Final = Kind(members=_ingested_members, read=_read_ingested, check=_check_length)
