"""A kind of knowledge source, and Azure's kinds that are not served. Members have names in snake_case, like the fields
of the pydantic shapes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias, get_args

from pydantic import Field
from pydantic.alias_generators import to_snake

from retrieval.contracts.azure.request_body import Wire
from retrieval.model.definitions import Source, SourceKind

Members: TypeAlias = Mapping[str, Any]
ObjectName: TypeAlias = Annotated[str, Field(min_length=1, max_length=128)]
"""The name of an index, a field, a semantic configuration, a knowledge source or a Model Studio base."""


class Named(Wire):
    """A reference to a knowledge source, or to a field of an index, by its name alone."""

    name: ObjectName


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The functions that show, read and check the parameters of a kind. They handle the members of all api-versions
    together.

    `members` gives the parameters of a source. `read` adds the parameters to a source that already has a name. `check`
    raises BadRequest if the parameters are not valid.
    """

    members: Callable[[Source], Members]
    read: Callable[[Source, Members], Source]
    check: Callable[[Members], None]


BY_HEADER: Final = "define a source of the kind mcpServer over it, to which callers pass their Authorization on"
WAYS_OUT: Final[Mapping[str, str]] = {
    "workIQ": f"Work IQ is an MCP server at https://workiq.svc.cloud.microsoft/mcp: {BY_HEADER}",
    "fabricDataAgent": f"a published data agent is an MCP server, whose address Fabric shows: {BY_HEADER}",
    "fabricOntology": f"an ontology has an MCP server, whose address Fabric shows: {BY_HEADER}",
    "remoteSharePoint": "no MCP server for it is known here; a site that the search service ingested is of the kind "
    "indexedSharePoint",
    "web": "no MCP server for it is known here; one of a search engine is a source of the kind mcpServer",
}
"""Azure's kinds that are not served, each with advice about an alternative."""


def check_served(kind: str) -> None:
    """Raises ValueError for a kind that is not served here. The error names an alternative, or the kinds that are
    served."""
    if kind not in get_args(SourceKind):
        way_out = WAYS_OUT.get(kind) or f"{', '.join(get_args(SourceKind))} are"
        raise ValueError(f"knowledge sources of the kind {kind[:100]!r} are not served here; {way_out}")


def parameters_of(kind: str) -> str:
    """The name of the member of a definition that has the parameters of a kind."""
    return f"{to_snake(kind)}_parameters"


def check_nothing(members: Members) -> None:
    """Checks nothing, because the shape already checks all rules."""


def respell(value: Any, spell: Callable[[str], str]) -> Any:
    """The value. `spell` changes the names of its members, and members with a null are left out. This also applies to
    objects inside the value."""
    if isinstance(value, Mapping):
        return {spell(name): respell(item, spell) for name, item in value.items() if item is not None}
    return [respell(item, spell) for item in value] if isinstance(value, list | tuple) else value
