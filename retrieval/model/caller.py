"""Who calls, what they may, and what a deployment imposes on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Right: TypeAlias = Literal["retrieve", "manage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls, and what they may. `id` may be logged: a key's place in its setting, or the directory's object id.

    `claims` has the claims that imposed filters ask for, as far as the caller has them; a key has none. `bases` are the
    agents and knowledge bases that a bound credential opens; None is all of them.
    """

    kind: Literal["key", "token", "principal"]
    id: str
    rights: frozenset[Right]
    bases: frozenset[str] | None = None
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many requests a minute and a day there may be; None for any number."""

    minute: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImposedRule:
    """A caller sees only documents whose `path` holds one of the caller's values of `claim`.

    `collection`: the field is a collection of texts. Callers with a key have no claims: `with_key` are their values,
    and without any they are refused.
    """

    path: tuple[str, ...]
    claim: str
    collection: bool = False
    with_key: tuple[str, ...] = ()
