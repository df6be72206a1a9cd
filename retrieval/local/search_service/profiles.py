"""Scoring profiles and CORS options in a definition: checked, given back, and refused in a search that uses one."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.fields import IndexField

MAX_PROFILES = 100

_TYPES = {
    "freshness": ("Edm.DateTimeOffset",),
    "magnitude": ("Edm.Int32", "Edm.Int64", "Edm.Double"),
    "distance": ("Edm.GeographyPoint",),
    "tag": ("Edm.String",),
}


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


class CorsWire(_Wire):
    """Which origins a browser may ask from; this service never answers a preflight request."""

    allowed_origins: list[str]
    max_age_in_seconds: int | None = Field(None, ge=0)


class _WeightsWire(_Wire):
    weights: dict[str, float]


class _FunctionWire(_Wire):
    type: Literal["freshness", "magnitude", "distance", "tag"]
    field_name: str
    boost: float
    interpolation: Literal["linear", "constant", "quadratic", "logarithmic"] | None = None
    freshness: dict[str, Any] | None = None
    magnitude: dict[str, Any] | None = None
    distance: dict[str, Any] | None = None
    tag: dict[str, Any] | None = None


class ProfileWire(_Wire):
    """A scoring profile as the REST API receives it."""

    name: str = Field(min_length=1, max_length=128)
    text: _WeightsWire | None = None
    functions: list[_FunctionWire] | None = None
    function_aggregation: Literal["sum", "average", "minimum", "maximum", "firstMatching", "product"] | None = None


def check(profiles: list[ProfileWire], paths: Mapping[str, IndexField]) -> None:
    """Raises InvalidArgument for a profile that the index cannot have."""
    names = [profile.name for profile in profiles]
    if len(names) > MAX_PROFILES or len(set(names)) != len(names):
        raise InvalidArgument(f"An index has at most {MAX_PROFILES} scoring profiles, each with a name of its own.")
    for profile in profiles:
        _check(profile, paths)


def _check(profile: ProfileWire, paths: Mapping[str, IndexField]) -> None:
    for name, weight in (profile.text.weights if profile.text else {}).items():
        if name not in paths or not paths[name].searchable or not weight > 0:
            raise _refusal(profile, f"gives {name[:128]!r} a weight: only searchable fields have one, above 0")
    for function in profile.functions or ():
        field = paths.get(function.field_name)
        if field is None or not field.filterable or field.type not in _TYPES[function.type]:
            raise _refusal(profile, f"has a {function.type} function over {function.field_name[:128]!r}")
        given = [kind for kind in _TYPES if getattr(function, kind) is not None]
        if given != [function.type]:
            raise _refusal(profile, f"has a {function.type} function without its parameters")


def _refusal(profile: ProfileWire, what: str) -> InvalidArgument:
    return InvalidArgument(f"The scoring profile {profile.name!r} {what}.")
