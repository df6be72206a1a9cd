"""The kind `searchIndex`: an index of the search service."""

from dataclasses import replace
from typing import Final

from pydantic.alias_generators import to_camel, to_snake

from retrieval.contracts.azure import request_body
from retrieval.contracts.azure.kinds.kind import Kind, Members, respell
from retrieval.model.definitions import Source


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
