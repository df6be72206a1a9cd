"""The rights that each credential gives."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from retrieval.model.caller import Caller, Right

Credential: TypeAlias = Literal["no credential", "query key", "admin key", "retrieve role", "manage role"]

GRANTED: Final[Mapping[Credential, frozenset[Right]]] = {
    "no credential": frozenset(),
    "query key": frozenset({"retrieve"}),
    "admin key": frozenset({"retrieve", "manage"}),
    "retrieve role": frozenset({"retrieve"}),
    "manage role": frozenset({"retrieve", "manage"}),
}
"""A role is an app role or a scope, in a bearer token or in the principal header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The names that app roles and scopes have in a deployment. They are compared exactly.

    `bound` maps a knowledge base to the roles that may retrieve from it. Such a role gives access only to the bases
    that list it. `claims` names the claims that are copied into a Caller.
    """

    retrieve: frozenset[str]
    manage: frozenset[str]
    bound: Mapping[str, frozenset[str]] = field(default_factory=dict)
    claims: frozenset[str] = frozenset()

    def caller(self, kind: Literal["token", "principal"], claims: Mapping[str, tuple[str, ...]]) -> Caller:
        """The caller with these claims. The keys are the names of the claims in a token."""
        scopes = [scope for value in claims.get("scp", ()) for scope in value.split()]
        roles_and_scopes = [*claims.get("roles", ()), *scopes]
        return Caller(
            kind=kind,
            id=(claims.get("oid") or claims.get("sub") or ("unknown",))[0],
            rights=self.rights(roles_and_scopes),
            bases=self.bases(roles_and_scopes),
            claims={name: claims[name] for name in self.claims if claims.get(name)},
        )

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
