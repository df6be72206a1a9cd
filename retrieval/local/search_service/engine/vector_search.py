"""The vector queries of a search: read, resolved against the index, and answered one ranked list a query and field.

Reference: https://learn.microsoft.com/azure/search/vector-search-how-to-query
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.definitions import compressions
from retrieval.local.search_service.definitions.compressions import Oversampling
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.vector_search import Metric, VectorProfile
from retrieval.local.search_service.engine import vector_scores, vectors
from retrieval.local.search_service.engine.filter_searches import FilterSearches
from retrieval.local.search_service.engine.filters import Selection, compile_filter
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.vector_scores import Threshold
from retrieval.local.search_service.engine.vectors import Neighbours, Vector
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.query.options import Names

DEFAULT_K: Final = 50
MAX_K: Final = 10_000
MAX_QUERIES: Final = 10
MAX_FIELDS: Final = 10

FilterMode = Literal["preFilter", "postFilter", "strictPostFilter"]

ScoreRule = Literal["similarity", "fused"]
"""What `@search.score` says for one vector query over one field, without search text. `similarity` is what the
documentation says (for cosine 1 / (1 + distance), from 0.333 to 1); `fused` is what services were seen to answer in
2026, the score of reciprocal rank fusion over that one list. The order is the same."""

_KINDS_LATER = ("imageUrl", "imageBinary")


class _QueryWire(BaseModel):
    model_config = ConfigDict(extra="allow", alias_generator=to_camel, frozen=True, strict=True)

    kind: Literal["vector", "text"]
    fields: Names
    vector: list[Any] | None = None
    text: str | None = Field(None, max_length=100_000)
    k: int = Field(DEFAULT_K, ge=1, le=MAX_K)
    weight: float = Field(1.0, gt=0, allow_inf_nan=False, le=1e6)
    exhaustive: bool = False
    oversampling: Oversampling | None = None
    threshold: dict[str, Any] | None = None
    filter_override: str | None = None
    per_document_vector_limit: int = Field(0, ge=0, le=2**31 - 1)
    query_rewrites: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorAsk:
    """One query over one field: its `k` nearest documents, of those that `threshold` leaves, are a ranked list.

    `query` is its place in vectorQueries; `vector` gives its vector, and raises ModelFailed;
    `selection` replaces the filter of the search; None keeps that filter.
    """

    query: int
    field: str
    metric: Metric
    vector: Callable[[], Vector]
    k: int
    weight: float
    threshold: Threshold | None
    selection: Selection | None


def read(queries: Sequence[Any] | None, index: LocalIndex) -> tuple[VectorAsk, ...]:
    """Raises InvalidArgument for what the index or the rules do not allow, Unsupported for what this service lacks."""
    if queries is None:
        return ()
    if len(queries) > MAX_QUERIES:
        raise InvalidArgument(f"A search has at most {MAX_QUERIES} vector queries; this one has {len(queries)}.")
    searches = FilterSearches(index)
    return tuple(ask for place, query in enumerate(queries) for ask in _asks(place, _parse(query), index, searches))


def lists(asks: Sequence[VectorAsk], index: LocalIndex, selection: Selection, *, mode: FilterMode) -> list[Neighbours]:
    """One ranked list for each of `asks`, filtered as `mode` says."""
    passing: dict[int, NDArray[np.bool_] | None] = {}
    found: list[Neighbours] = []
    for ask in asks:
        own = selection if ask.selection is None else ask.selection
        if id(own) not in passing:
            passing[id(own)] = _passing(own, index)
        near = _neighbours(ask, index, mode=mode, among=passing[id(own)])
        found.append(vector_scores.kept(near, ask.threshold, ask.metric))
    return found


def _passing(selection: Selection, index: LocalIndex) -> NDArray[np.bool_] | None:
    """For each ordinal whether it passes; None where every one does."""
    return None if selection.is_everything else vectors.mask(list(selection.ordinals(index)), index.horizon)


def _neighbours(ask: VectorAsk, index: LocalIndex, *, mode: FilterMode, among: NDArray[np.bool_] | None) -> Neighbours:
    """`among` says for each ordinal whether the filter passes it, and is None without one."""
    store = index.vectors[ask.field]
    if among is None or mode == "preFilter":
        return store.nearest(ask.vector(), ask.k, among=among)
    if mode == "postFilter":
        return store.nearest_of_each_shard(ask.vector(), ask.k, among=among)
    return [one for one in store.nearest(ask.vector(), ask.k) if among[one[1]]]


def _parse(query: object) -> _QueryWire:
    if not isinstance(query, dict):
        raise InvalidArgument("Every entry of vectorQueries is an object.")
    if query.get("kind") in _KINDS_LATER:
        raise Unsupported(f"vector queries of the kind {query['kind']!r}")
    given = {name: value for name, value in query.items() if value is not None}
    try:
        wire = _QueryWire.model_validate(given)
    except ValidationError as error:
        raise InvalidArgument(f"A vector query is invalid: {sentence(error)}") from error
    for name in wire.model_extra or ():
        raise InvalidArgument(f"A vector query has the unknown property {name[:128]!r}.")
    if wire.query_rewrites != "none":
        raise Unsupported("queryRewrites in a vector query")
    if (wire.vector is None) == (wire.kind == "vector") or (wire.text is None) == (wire.kind == "text"):
        raise InvalidArgument(f"A vector query of the kind {wire.kind!r} has {wire.kind!r}, and the other kind's not.")
    if not 1 <= len(wire.fields) <= MAX_FIELDS:
        raise InvalidArgument(f"A vector query names 1 to {MAX_FIELDS} fields; this one names {len(wire.fields)}.")
    return wire


def _asks(place: int, query: _QueryWire, index: LocalIndex, searches: FilterSearches) -> Iterator[VectorAsk]:
    found = [_field(name, query, index) for name in dict.fromkeys(query.fields)]
    threshold = vector_scores.read_threshold(query.threshold, [profile.metric for _, profile in found])
    override = compile_filter(query.filter_override, index, searches) if query.filter_override else None
    for field, profile in found:
        yield VectorAsk(
            query=place,
            field=field.name,
            metric=profile.metric,
            vector=_vector(query, field, index),
            k=query.k,
            weight=query.weight,
            threshold=threshold,
            selection=override,
        )


def _field(name: str, query: _QueryWire, index: LocalIndex) -> tuple[IndexField, VectorProfile]:
    field, profile = index.definition.fields.get(name), index.definition.vectors.get(name)
    if field is None or profile is None:
        raise InvalidArgument(f"The field {name[:128]!r} in a vector query is not a vector field of the index.")
    if query.kind == "text" and profile.vectorizer is None:
        raise InvalidArgument(
            f"The field {name!r} has no vectorizer in its profile, which a vector query of the kind 'text' needs."
        )
    if query.oversampling is not None:
        compressions.check_query(field, profile.compression)
    return field, profile


def _vector(query: _QueryWire, field: IndexField, index: LocalIndex) -> Callable[[], Vector]:
    """The vector of a text is waited for when it is needed: a model makes it meanwhile."""
    if query.kind == "vector":
        given = vectors.read(query.vector, field)
        return lambda: given
    return partial(index.models.embedder.query, query.text or "", field.dimensions or 0)
