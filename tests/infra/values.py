"""What evaluating a template gives: resources, their parts, plain values; and the rules that values alone can break."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.infra.functions import RUNTIME
from tests.infra.shapes import TYPES

SECRET: Final = "the-secret"
"""The value that scenarios give to secure parameters, so that a leak can be seen."""


LIMITS: Final = frozenset({"allowed", "minValue", "minLength", "maxValue", "maxLength"})
"""Decorators of a parameter that bound its value."""


class Refused(Exception):
    """The compiler, or Azure, would refuse this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A resource group of a subscription."""

    subscription: str
    group: str


NOWHERE: Final = Place(subscription="", group="")
"""Where the file of a subscription deploys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A resource with its evaluated body. `scope` is the resource that it extends, `parent` the one above it, `place`
    the resource group that its module is deployed to."""

    file: str
    symbol: str
    type: str
    body: Mapping[str, Any]
    scope: "Resource | None" = None
    parent: "Resource | None" = None
    existing: bool = False
    place: Place = NOWHERE

    @property
    def properties(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.body.get("properties", {})
        return found

    @property
    def id(self) -> str:
        """As templates see it, without subscription and group."""
        if self.parent is None:
            return f"/{self.type}/{self.body['name']}"
        return f"{self.parent.id}{self.type.removeprefix(self.parent.type)}/{self.body['name']}"

    def __str__(self) -> str:
        return f"{self.file}: {self.symbol}"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A resource, or a part of one that is an object."""

    resource: Resource
    path: tuple[str, ...] = ()


def of(resources: Iterable[Resource], type_name: str) -> list[Resource]:
    """Those of a type."""
    return [one for one in resources if one.type == type_name]


def ids(resources: Iterable[Resource], type_name: str) -> list[str]:
    """Those of a type, by their ids."""
    return list(dict.fromkeys(one.id for one in of(resources, type_name)))


def at(value: Any, path: str) -> Any:
    """The member at a dotted path; None where there is none."""
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value within, by its path; what is empty is one value."""
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from leaves(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for place, one in enumerate(value):
            yield from leaves(one, f"{path}[{place}]")
    else:
        yield path, value


def bare(value: Any) -> str:
    """A text without the marks around what only a deployment knows."""
    return re.sub("[‹›<>]", "", str(value))


def plain(value: Any) -> Any:
    """Symbols within a body are what their part of a resource is at run time."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return f"{RUNTIME}{value.resource.symbol}›" if isinstance(value, Symbol) else value


def settled(value: Any) -> Any:
    """Within a module, what its caller passes is known from the start."""
    if isinstance(value, dict):
        return {key: settled(one) for key, one in value.items()}
    if isinstance(value, list):
        return [settled(one) for one in value]
    return value.replace(RUNTIME, "<").replace("›", ">") if isinstance(value, str) else value


def check_parent(type_name: str, parent: Any, name: Any) -> None:
    above = type_name.rpartition("/")[0]
    if above.count("/") == 0:
        return
    above = above if above in TYPES else above.rpartition("/")[0] if above.endswith("/config") else above
    if not isinstance(parent, Symbol):
        raise Refused(f"it has no parent of type {above}")
    if parent.resource.type != above:
        raise Refused(f"its parent is of type {parent.resource.type}, not {above}")
    if "/" in str(name):
        raise Refused("a name under a parent has one segment")


def check_type(expected: str, value: Any) -> None:
    types: Mapping[str, type | tuple[type, ...]] = {
        "string": str,
        "int": int,
        "bool": bool,
        "object": dict,
        "array": list,
    }
    if expected not in types:
        raise Refused(f"{expected!r} is not a type that the check knows")
    if not isinstance(value, types[expected]) or (expected == "int" and isinstance(value, bool)):
        raise Refused(f"it is {value!r}, not of type {expected}")


def check_limits(limits: Mapping[str, Any], value: Any) -> None:
    """`limits` are the values of the decorators among `LIMITS`; a length may be known too late."""
    if "allowed" in limits and value not in limits["allowed"]:
        raise Refused(f"{value!r} is not allowed")
    if RUNTIME in repr(value) or "<" in repr(value):
        return
    size = len(value) if isinstance(value, str | list | dict) else value
    lower = [limits[name] for name in ("minValue", "minLength") if name in limits]
    upper = [limits[name] for name in ("maxValue", "maxLength") if name in limits]
    if any(size < limit for limit in lower) or any(size > limit for limit in upper):
        raise Refused(f"{value!r} is outside its limits")
