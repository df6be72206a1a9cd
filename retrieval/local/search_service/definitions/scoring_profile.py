"""Scoring profiles in an index definition: what boosts a document's score, checked against the fields of the index.

Rules: https://learn.microsoft.com/azure/search/index-add-scoring-profiles
"""

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.errors import InvalidArgument, Unsupported

MAX_PROFILES: Final = 100
MAX_FUNCTIONS: Final = 100
"""Functions of one profile. Azure publishes no limit."""

MAX_WEIGHT: Final = 1e6
"""As of a boost in a query, so that scores stay finite."""

_WITHOUT_PRODUCT: Final = frozenset(
    "2023-10-01-preview 2023-11-01 2024-03-01-preview 2024-05-01-preview 2024-07-01 2024-09-01-preview "
    "2024-11-01-preview 2025-03-01-preview 2025-05-01-preview 2025-08-01-preview 2025-09-01".split()
)
"""Versions from before the aggregation `product`, which came with 2025-11-01-preview."""

Curve: TypeAlias = Literal["linear", "constant", "quadratic", "logarithmic"]
Aggregation: TypeAlias = Literal["sum", "average", "minimum", "maximum", "firstMatching", "product"]

_TYPES: Final[Mapping[str, Collection[str]]] = {
    "freshness": ("Edm.DateTimeOffset",),
    "magnitude": ("Edm.Int32", "Edm.Int64", "Edm.Double"),
    "distance": ("Edm.GeographyPoint",),
    "tag": ("Edm.String",),
}

_DURATION = re.compile(
    r"(?P<sign>-?)P(?=[\dT])(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,9}(?:\.\d{1,9})?)S)?)?",
    re.ASCII,
)

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Name = Annotated[str, Field(min_length=1, max_length=128)]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


class _WeightsWire(_Wire):
    weights: dict[str, _Number]


class _FreshnessWire(_Wire):
    boosting_duration: str


class _MagnitudeWire(_Wire):
    boosting_range_start: _Number
    boosting_range_end: _Number
    constant_boost_beyond_range: bool | None = None


class _DistanceWire(_Wire):
    reference_point_parameter: _Name
    boosting_distance: _Number = Field(gt=0)


class _TagWire(_Wire):
    tags_parameter: _Name


class _FunctionWire(_Wire):
    type: Literal["freshness", "magnitude", "distance", "tag"]
    field_name: str
    boost: _Number
    interpolation: Curve | None = None
    freshness: _FreshnessWire | None = None
    magnitude: _MagnitudeWire | None = None
    distance: _DistanceWire | None = None
    tag: _TagWire | None = None


class ProfileWire(_Wire):
    """A scoring profile as the REST API receives it."""

    name: _Name
    text: _WeightsWire | None = None
    functions: list[_FunctionWire] | None = None
    function_aggregation: Aggregation | None = None


@dataclass(frozen=True, slots=True)
class Magnitude:
    """Numbers from `start`, where the boost begins, to `end`, where it is whole; `beyond` it stays whole."""

    start: float
    end: float
    beyond: bool


@dataclass(frozen=True, slots=True)
class Freshness:
    """Moments from now to `duration` seconds ago; below zero, to so many seconds ahead."""

    duration: float


@dataclass(frozen=True, slots=True)
class Distance:
    """Places within `kilometres` of the point that the search gives as `parameter`."""

    parameter: str
    kilometres: float


@dataclass(frozen=True, slots=True)
class Tag:
    """Strings of which one is among those that the search gives as `parameter`."""

    parameter: str


Measure: TypeAlias = Magnitude | Freshness | Distance | Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringFunction:
    """`boost` is what the score is multiplied with where `measure` is at its best; `curve` leads from there to 1."""

    path: str
    boost: float
    curve: Curve
    measure: Measure

    @property
    def parameter(self) -> str | None:
        """The name of what a search gives for it."""
        return self.measure.parameter if isinstance(self.measure, Distance | Tag) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringProfile:
    """`weights` multiply the scores of fields, by path; `functions` the score of the document."""

    name: str
    weights: Mapping[str, float] = field(default_factory=dict)
    functions: tuple[ScoringFunction, ...] = ()
    aggregation: Aggregation = "sum"

    @property
    def parameters(self) -> frozenset[str]:
        """The names of what a search has to give."""
        return frozenset(one.parameter for one in self.functions if one.parameter is not None)

    def given(self, parameters: Set[str]) -> "ScoringProfile":
        """The profile without the functions whose parameter is not among these."""
        functions = (one for one in self.functions if one.parameter is None or one.parameter in parameters)
        return replace(self, functions=tuple(functions))


@dataclass(frozen=True, slots=True)
class ScoringProfiles:
    """Those of one index, by name; `default` is that of searches which name none."""

    by_name: Mapping[str, ScoringProfile]
    default: ScoringProfile | None

    def check_version(self, version: str) -> None:
        """Raises Unsupported for what the api-version of a definition does not know."""
        for profile in self.by_name.values():
            if profile.aggregation == "product" and version.lower() in _WITHOUT_PRODUCT:
                raise Unsupported(f"the functionAggregation 'product' in the api-version {version}")


def read(wires: Sequence[ProfileWire], default: str | None, paths: Mapping[str, IndexField]) -> ScoringProfiles:
    """`paths` are the fields of the index by path. Raises InvalidArgument for a profile that it cannot have."""
    names = [wire.name for wire in wires]
    if len(names) > MAX_PROFILES or len(set(names)) != len(names):
        raise InvalidArgument(f"An index has at most {MAX_PROFILES} scoring profiles, each with a name of its own.")
    profiles = {wire.name: _profile(wire, paths) for wire in wires}
    if default and default not in profiles:
        raise InvalidArgument(f"The default scoring profile {default[:128]!r} does not exist.")
    return ScoringProfiles(profiles, profiles[default] if default else None)


def _profile(wire: ProfileWire, paths: Mapping[str, IndexField]) -> ScoringProfile:
    weights = wire.text.weights if wire.text else {}
    for name, weight in weights.items():
        if name not in paths or not paths[name].searchable or not 0 < weight <= MAX_WEIGHT:
            raise _refusal(wire, f"gives {name[:128]!r} a weight: only searchable fields have one, above 0, up to 1e6")
    functions = wire.functions or []
    if len(functions) > MAX_FUNCTIONS:
        raise _refusal(wire, f"has {len(functions)} functions; it may have {MAX_FUNCTIONS}")
    return ScoringProfile(
        name=wire.name,
        weights=weights,
        functions=tuple(_function(one, wire, paths) for one in functions),
        aggregation=wire.function_aggregation or "sum",
    )


def _function(wire: _FunctionWire, profile: ProfileWire, paths: Mapping[str, IndexField]) -> ScoringFunction:
    what = f"has a {wire.type} function over {wire.field_name[:128]!r}"
    found = paths.get(wire.field_name)
    if found is None or not found.filterable or found.type not in _TYPES[wire.type]:
        raise _refusal(profile, f"{what}, which is not a filterable field of the type {' or '.join(_TYPES[wire.type])}")
    if found.repeated and wire.type != "tag":
        raise _refusal(profile, f"{what}, of which a document may hold several values")
    if wire.boost in (0, 1):
        raise _refusal(profile, f"{what} with the boost {wire.boost:g}, which would change nothing: it is another one")
    if wire.type == "tag" and wire.interpolation in ("quadratic", "logarithmic"):
        raise _refusal(profile, f"{what} with the interpolation {wire.interpolation!r}: tags have linear or constant")
    if [kind for kind in _TYPES if getattr(wire, kind) is not None] != [wire.type]:
        raise _refusal(profile, f"{what} without its own parameters, {wire.type!r}, or with those of another type")
    return ScoringFunction(
        path=wire.field_name,
        boost=wire.boost,
        curve=wire.interpolation or "linear",
        measure=_measure(wire, profile),
    )


def _measure(wire: _FunctionWire, profile: ProfileWire) -> Measure:
    if wire.freshness is not None:
        return Freshness(_seconds(wire.freshness.boosting_duration, profile))
    if wire.magnitude is not None:
        start, end = wire.magnitude.boosting_range_start, wire.magnitude.boosting_range_end
        if start == end or abs(end - start) == float("inf"):
            raise _refusal(profile, f"has a range from {start:g} to {end:g}, in which nothing lies or everything")
        return Magnitude(start, end, bool(wire.magnitude.constant_boost_beyond_range))
    if wire.distance is not None:
        return Distance(wire.distance.reference_point_parameter, wire.distance.boosting_distance)
    if wire.tag is not None:
        return Tag(wire.tag.tags_parameter)
    raise _refusal(profile, f"has a {wire.type} function without its parameters")


def _seconds(duration: str, profile: ProfileWire) -> float:
    """A dayTimeDuration of XML Schema: https://www.w3.org/TR/xmlschema11-2/#dayTimeDuration"""
    found = _DURATION.fullmatch(duration)
    parts = found and [float(found[name] or 0) for name in ("days", "hours", "minutes", "seconds")]
    seconds = parts and ((parts[0] * 24 + parts[1]) * 60 + parts[2]) * 60 + parts[3]
    if not found or not seconds:
        raise _refusal(
            profile,
            f"has the boostingDuration {duration[:64]!r}, which is not one such as 'P30D', 'PT15M' or '-P1DT6H'",
        )
    return -seconds if found["sign"] else seconds


def _refusal(profile: ProfileWire, what: str) -> InvalidArgument:
    return InvalidArgument(f"The scoring profile {profile.name!r} {what}.")
