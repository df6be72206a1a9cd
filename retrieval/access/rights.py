"""The one table: what each route needs, what each credential gives. docs/access.md shows it as `table` writes it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from retrieval.model import Right

Operation: TypeAlias = Literal["retrieve", "list agents", "create agent", "get agent", "put agent", "delete agent"]
Credential: TypeAlias = Literal["no credential", "query key", "admin key", "retrieve role", "manage role"]

NEEDED: Final[Mapping[Operation, Right]] = MappingProxyType(
    {
        "retrieve": "retrieve",
        "list agents": "manage",
        "create agent": "manage",
        "get agent": "manage",
        "put agent": "manage",
        "delete agent": "manage",
    }
)

ROUTES: Final[Mapping[str, Operation]] = MappingProxyType(
    {
        "POST agents/{name}/retrieve": "retrieve",
        "POST agents('{name}')/retrieve": "retrieve",
        "POST agents/{name}/mcp": "retrieve",
        "GET agents/{name}/mcp": "retrieve",
        "DELETE agents/{name}/mcp": "retrieve",
        "POST {workspaceId:regex(^(llm|ws)[-_])}/index/retrieve": "retrieve",
        "GET agents": "list agents",
        "POST agents": "create agent",
        "GET agents/{name}": "get agent",
        "GET agents('{name}')": "get agent",
        "PUT agents/{name}": "put agent",
        "PUT agents('{name}')": "put agent",
        "DELETE agents/{name}": "delete agent",
        "DELETE agents('{name}')": "delete agent",
    }
)

GRANTED: Final[Mapping[Credential, frozenset[Right]]] = MappingProxyType(
    {
        "no credential": frozenset(),
        "query key": frozenset({"retrieve"}),
        "admin key": frozenset({"retrieve", "manage"}),
        "retrieve role": frozenset({"retrieve"}),
        "manage role": frozenset({"retrieve", "manage"}),
    }
)
"""A role is an app role or a scope, in a bearer token or in the principal header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The names that app roles and scopes have in a deployment. They are compared exactly."""

    retrieve: frozenset[str]
    manage: frozenset[str]

    def rights(self, names: Collection[str]) -> frozenset[Right]:
        """What a caller may who has roles and scopes of these names."""
        retrieve = GRANTED["retrieve role"] if not self.retrieve.isdisjoint(names) else frozenset[Right]()
        return retrieve | GRANTED["manage role"] if not self.manage.isdisjoint(names) else retrieve


def table() -> str:
    """Routes down, credentials across, in Markdown."""
    lines = ["| Route | Needs | " + " | ".join(GRANTED) + " |", "|---|---|" + "---|" * len(GRANTED)]
    for route, operation in ROUTES.items():
        right = NEEDED[operation]
        cells = ["yes" if right in granted else "no" for granted in GRANTED.values()]
        lines.append(f"| `{route}` | {right} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
