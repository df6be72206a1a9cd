"""The kinds whose index Azure's ingestion makes and fills. That is the customer's search service's affair: here the
index is searched, whose name is the one among the created resources, or else that of the source with `-index`.

What only the ingestion reads is kept and shown, without secrets.
"""

from dataclasses import replace
from typing import Final

from pydantic.alias_generators import to_camel, to_snake

from retrieval.contracts.azure.kinds.kind import Kind, Members, check_nothing, respell
from retrieval.contracts.azure.kinds.secrets import without_secrets
from retrieval.model.definitions import Source

_OF_THE_HUB: Final = frozenset({"query_hints", "created_resources"})


def members(source: Source) -> Members:
    """The parameters of a source. The index is the only created object that this service knows of by itself."""
    ingestion = source.ingestion or {}
    resources = ingestion.get("created_resources")
    created = {**(resources if isinstance(resources, dict) else {}), "index": source.index}
    return {**ingestion, "created_resources": created, "query_hints": respell(source.query_hints, to_snake)}


def read(source: Source, parameters: Members) -> Source:
    """The source with its hints and what the ingestion reads; its index is empty where none is named, as in what
    clients send: created resources are read-only to them."""
    resources = parameters.get("created_resources") or {}
    others = {name: text for name, text in resources.items() if name != "index"}
    ingestion = respell({name: value for name, value in parameters.items() if name not in _OF_THE_HUB}, str)
    return replace(
        source,
        index=resources.get("index") or "",
        query_hints=respell(parameters.get("query_hints"), to_camel),
        ingestion=without_secrets({**ingestion, **({"created_resources": others} if others else {})}) or None,
    )


def with_index(source: Source) -> Source:
    """The source with the index that Azure names after it, where it names none."""
    return source if source.index else replace(source, index=f"{source.name}-index")


INGESTED: Final = Kind(members=members, read=read, check=check_nothing)
