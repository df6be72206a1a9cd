"""A caller, its rights, and the limits and filter rules that a deployment imposes on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Right: TypeAlias = Literal["retrieve", "manage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller and its rights. `id` may be logged: it is a key's place in its setting, `access key`, the object id or
    subject of a token, or `unknown`. `claims` has the claims that imposed filters and rate limits need, as far as the
    caller has them. A caller with a key has no claims. `bases` are the agents and knowledge bases that the caller may
    use; None is all of them.
    """

    kind: Literal["key", "token", "principal"]
    id: str
    rights: frozenset[Right]
    bases: frozenset[str] | None = None
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """Tells this caller apart from all others of the deployment."""
        return f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most requests in a minute and in a day. None is no limit."""

    minute: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImposedRule:
    """A filter rule that a deployment imposes. A caller sees only documents whose field `path` has one of the caller's
    values of `claim`.

    With `collection` the field is a collection of texts. Callers with a key have no claims, so they use the values
    `with_key`. If there are none, callers with a key are refused.
    """

    path: tuple[str, ...]
    claim: str
    collection: bool = False
    with_key: tuple[str, ...] = ()
