"""The kind `searchIndex`: an index of the search service."""

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from pydantic import Field
from pydantic.alias_generators import to_camel, to_snake

from retrieval.contracts.azure import request_body
from retrieval.contracts.azure.kinds.kind import Kind, Members, Named, ObjectName, respell
from retrieval.contracts.azure.query_hints import QueryHints
from retrieval.contracts.azure.versioned import since
from retrieval.model.definitions import Source

Fields: TypeAlias = Annotated[list[Named], Field(max_length=1_000, fail_fast=True)]
_LISTED: Final = since("2025-11-01-preview", "2026-04-01")


class IndexParameters(request_body.Wire):
    """The parameters of a search index. `source_data_select` is a list of field names that are separated by commas."""

    search_index_name: ObjectName
    source_data_select: Annotated[
        Annotated[str, Field(max_length=100_000)] | None, since("2025-08-01-preview", until=("2025-08-01-preview",))
    ] = None
    source_data_fields: Annotated[Fields | None, _LISTED] = None
    search_fields: Annotated[Fields | None, _LISTED] = None
    semantic_configuration_name: Annotated[ObjectName | None, _LISTED] = None
    base_filter: Annotated[str | None, since("2026-05-01-preview", "2026-10-01")] = None
    query_hints: Annotated[QueryHints | None, since("2026-08-01-preview")] = None


def _members(source: Source) -> Members:
    return {
        "search_index_name": source.index,
        "source_data_select": ",".join(source.source_fields) or None,
        "source_data_fields": [{"name": name} for name in source.source_fields] or None,
        "search_fields": [{"name": name} for name in source.search_fields] or None,
        "semantic_configuration_name": source.semantic_configuration,
        "base_filter": source.base_filter,
        "query_hints": respell(source.query_hints, to_snake),
    }


def _read(source: Source, parameters: Members) -> Source:
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


def _check(parameters: Members) -> None:
    request_body.filter_of(parameters.get("base_filter"), target="searchIndexParameters.baseFilter")


def _names(members: Members, name: str) -> tuple[str, ...]:
    return tuple(item["name"] for item in members.get(name) or ())


SEARCH_INDEX: Final = Kind(members=_members, read=_read, check=_check)
