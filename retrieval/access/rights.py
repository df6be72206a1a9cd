"""The right that each operation needs, and the rights that each credential gives."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from retrieval.model.caller import Right

Operation: TypeAlias = Literal[
    "retrieve",
    "answer",
    "listen",
    "list agents",
    "create agent",
    "get agent",
    "put agent",
    "delete agent",
    "list knowledge bases",
    "create knowledge base",
    "get knowledge base",
    "put knowledge base",
    "delete knowledge base",
    "list knowledge sources",
    "create knowledge source",
    "get knowledge source",
    "put knowledge source",
    "delete knowledge source",
    "tell the status of a knowledge source",
    "examine the deployment",
    "tell that it is alive",
    "tell whether it is ready",
    "describe itself",
    "show the playground",
    "tell where to sign in",
]
Credential: TypeAlias = Literal["no credential", "query key", "admin key", "retrieve role", "manage role"]

NEEDED: Final[Mapping[Operation, Right | None]] = MappingProxyType(
    {
        "retrieve": "retrieve",
        "answer": "retrieve",
        "listen": "retrieve",
        "list agents": "manage",
        "create agent": "manage",
        "get agent": "manage",
        "put agent": "manage",
        "delete agent": "manage",
        "list knowledge bases": "manage",
        "create knowledge base": "manage",
        "get knowledge base": "manage",
        "put knowledge base": "manage",
        "delete knowledge base": "manage",
        "list knowledge sources": "manage",
        "create knowledge source": "manage",
        "get knowledge source": "manage",
        "put knowledge source": "manage",
        "delete knowledge source": "manage",
        "tell the status of a knowledge source": "manage",
        "examine the deployment": "manage",
        "tell that it is alive": None,
        "tell whether it is ready": None,
        "describe itself": None,
        "show the playground": None,
        "tell where to sign in": None,
    }
)
"""None means that the operation needs no right and no credential."""

REFUSED: Final[frozenset[Operation]] = frozenset({"listen"})
"""Operations that are always refused: MCP's streams and sessions. The caller is authenticated before the refusal."""

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
    """The names that app roles and scopes have in a deployment. They are compared exactly.

    `bound` maps a knowledge base to the roles that may retrieve from it. Such a role gives access only to the bases
    that list it.
    """

    retrieve: frozenset[str]
    manage: frozenset[str]
    bound: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def rights(self, names: Collection[str]) -> frozenset[Right]:
        """The rights of a caller with roles and scopes of these names."""
        retrieves = not self.retrieve.isdisjoint(names) or bool(self.bases(names))
        retrieve = GRANTED["retrieve role"] if retrieves else frozenset[Right]()
        return retrieve | GRANTED["manage role"] if not self.manage.isdisjoint(names) else retrieve

    def bases(self, names: Collection[str]) -> frozenset[str] | None:
        """The knowledge bases to which these roles and scopes give access; None if one of them gives access to every
        base."""
        if not (self.retrieve | self.manage).isdisjoint(names):
            return None
        return frozenset(base for base, roles in self.bound.items() if not roles.isdisjoint(names))
