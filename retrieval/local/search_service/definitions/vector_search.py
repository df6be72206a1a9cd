"""The part `vectorSearch` of an index definition: which metric and which vectorizer a profile means.

Reference: https://learn.microsoft.com/azure/search/vector-search-how-to-create-index. Every algorithm is an exact
search here, and every vectorizer is the local embedding of `vectorize`, whichever model the definition names.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.definitions import compressions
from retrieval.local.search_service.definitions.compressions import Compression, CompressionWire
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.errors import InvalidArgument, Unsupported

Metric = Literal["cosine", "euclidean", "dotProduct"]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


class _HnswParameters(_Wire):
    m: int | None = None
    ef_construction: int | None = None
    ef_search: int | None = None
    metric: Literal["cosine", "euclidean", "dotProduct", "hamming"] | None = None


class _ExhaustiveParameters(_Wire):
    metric: Literal["cosine", "euclidean", "dotProduct", "hamming"] | None = None


class _AlgorithmWire(_Wire):
    name: str
    kind: Literal["hnsw", "exhaustiveKnn"]
    hnsw_parameters: _HnswParameters | None = None
    exhaustive_knn_parameters: _ExhaustiveParameters | None = None


class _ProfileWire(_Wire):
    name: str
    algorithm: str
    vectorizer: str | None = None
    compression: str | None = None


class _VectorizerWire(BaseModel):
    """`parameters` in whatever spelling: nothing of them is used."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str
    kind: str


class VectorSearchWire(_Wire):
    profiles: list[_ProfileWire] | None = None
    algorithms: list[_AlgorithmWire] | None = None
    vectorizers: list[_VectorizerWire] | None = None
    compressions: list[CompressionWire] | None = None


_VECTORIZERS = ("azureOpenAI", "aml", "customWebApi")


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorProfile:
    """How the vectors of a field are compared and compressed, and whether text can be made into one of them."""

    metric: Metric
    vectorizer: str | None
    compression: Compression | None = None


def read(wire: VectorSearchWire | None, fields: Iterable[IndexField]) -> dict[str, VectorProfile]:
    """The profile of each vector field, by the name of the field.

    Raises InvalidArgument for a name without a meaning, Unsupported for what this service lacks.
    """
    profiles = {} if wire is None else _profiles(wire)
    found: dict[str, VectorProfile] = {}
    for field in fields:
        if field.profile is None:
            continue
        if field.profile not in profiles:
            raise InvalidArgument(f"The vector field {field.name!r} names the unknown profile {field.profile[:128]!r}.")
        found[field.name] = profile = profiles[field.profile]
        if profile.compression is not None:
            compressions.check_field(field, profile.compression)
    return found


def _profiles(wire: VectorSearchWire) -> dict[str, VectorProfile]:
    metrics = {name: _metric(one) for name, one in _named(wire.algorithms or (), "algorithm").items()}
    vectorizers = _named(wire.vectorizers or (), "vectorizer")
    for vectorizer in vectorizers.values():
        if vectorizer.kind not in _VECTORIZERS:
            raise Unsupported(f"the vectorizer kind {vectorizer.kind[:128]!r}")
    compressed = {name: compressions.read(one) for name, one in _named(wire.compressions or (), "compression").items()}
    profiles = _named(wire.profiles or (), "profile")
    return {name: _profile(one, metrics, vectorizers, compressed) for name, one in profiles.items()}


def _profile(
    wire: _ProfileWire,
    metrics: Mapping[str, Metric],
    vectorizers: Mapping[str, _VectorizerWire],
    compressed: Mapping[str, Compression],
) -> VectorProfile:
    named = (
        ("algorithm", wire.algorithm, metrics),
        ("vectorizer", wire.vectorizer or None, vectorizers),
        ("compression", wire.compression or None, compressed),
    )
    for what, name, known in named:
        if name is not None and name not in known:
            raise InvalidArgument(f"The vector profile {wire.name[:128]!r} names the unknown {what} {name[:128]!r}.")
    return VectorProfile(
        metric=metrics[wire.algorithm],
        vectorizer=wire.vectorizer or None,
        compression=compressed[wire.compression] if wire.compression else None,
    )


def _metric(wire: _AlgorithmWire) -> Metric:
    parameters = wire.hnsw_parameters if wire.kind == "hnsw" else wire.exhaustive_knn_parameters
    metric = parameters and parameters.metric
    if metric == "hamming":
        raise Unsupported("the metric 'hamming' (binary vectors)")
    return metric or "cosine"


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_N = TypeVar("_N", bound=_HasName)


def _named(parts: Sequence[_N], what: str) -> dict[str, _N]:
    found: dict[str, _N] = {}
    for part in parts:
        if part.name in found:
            raise InvalidArgument(f"The {what} {part.name[:128]!r} occurs twice in vectorSearch.")
        found[part.name] = part
    return found
