"""The kinds whose index Azure's ingestion makes and fills.

The ingestion runs in the customer's search service. This service only searches the index. The created resources may
state the name of the index. Otherwise an update keeps the stored name, and the index of a new source gets the name of
the source with `-index` at the end. Members that only the ingestion reads are stored and shown without their secrets.
"""

from dataclasses import replace
from typing import Final

from pydantic.alias_generators import to_camel, to_snake
from pydantic_core import to_json

from retrieval.contracts.azure.kinds.kind import Kind, Members, respell
from retrieval.contracts.azure.kinds.secrets import without_secrets
from retrieval.errors import BadRequest
from retrieval.model.definitions import INGESTED as INGESTED_KINDS
from retrieval.model.definitions import Source

LONGEST: Final = 24_000
_OF_THE_HUB: Final = frozenset({"query_hints", "created_resources"})


def members(source: Source) -> Members:
    """The parameters of a source. The created resources are the stored resources and the index."""
    return {
        **(source.ingestion or {}),
        "created_resources": {**(source.created or {}), "index": source.index},
        "query_hints": respell(source.query_hints, to_snake),
    }


def read(source: Source, parameters: Members) -> Source:
    """The source with its query hints, its created resources and the members that the ingestion reads. The index of the
    source is empty if the created resources do not name an index."""
    resources = parameters.get("created_resources") or {}
    others = {name: text for name, text in resources.items() if name != "index"}
    ingestion = respell({name: value for name, value in parameters.items() if name not in _OF_THE_HUB}, str)
    return replace(
        source,
        index=resources.get("index") or "",
        query_hints=respell(parameters.get("query_hints"), to_camel),
        ingestion=without_secrets(ingestion) or None,
        created=others or None,
    )


def with_index(source: Source) -> Source:
    """The source. If Azure's ingestion makes its index and the name of the index is empty, the name becomes Azure's
    default: the name of the source with `-index` at the end."""
    is_unnamed = source.kind in INGESTED_KINDS and not source.index
    return replace(source, index=f"{source.name}-index") if is_unnamed else source


def check(parameters: Members) -> None:
    """Refuses parameters that are too long for a store of definitions. Raises BadRequest."""
    if len(to_json(parameters)) > LONGEST:
        raise BadRequest(f"The parameters of the knowledge source are longer than {LONGEST:,} bytes.")


INGESTED: Final = Kind(members=members, read=read, check=check)
