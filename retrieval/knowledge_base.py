"""A knowledge base of Alibaba Cloud Model Studio, as a deployment names it for its agents.

Its scores are 0 to 1 and depend on the base's own model; no source relates them to Azure's 0 to 4. A calibration does,
from what a deployer has measured. Without one the base keeps its own threshold, and its scores count four times.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from retrieval.filters import field_map
from retrieval.filters.field_map import FieldMap

_MEMBERS: Final = frozenset({"workspace", "index", "region", "endpoint", "fields", "calibration"})
_REGION: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FIRST: Final = (0.0, 0.0)
_LAST: Final = (1.0, 4.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Which reranker score, 0 to 4, a score of 0 to 1 is worth: straight lines between anchors, from (0, 0) to (1, 4).

    Raises ValueError unless both sides of the anchors increase.
    """

    anchors: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if not all(low[0] < high[0] and low[1] < high[1] for low, high in pairwise(self._line)):
            raise ValueError('"calibration" must increase on both sides, between [0, 0] and [1, 4]')

    def reranker_score(self, score: float) -> float:
        """Strictly increasing in `score`, 0 to 1."""
        line = self._line
        place = min(bisect_right(line, score, key=lambda anchor: anchor[0]), len(line) - 1)
        (left, low), (right, high) = line[place - 1], line[place]
        return low + (score - left) / (right - left) * (high - low)

    @property
    def _line(self) -> tuple[tuple[float, float], ...]:
        return (_FIRST, *self.anchors, _LAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeBase:
    """Where it is, what filters may say about it, what its scores are worth.

    `endpoint` has a scheme and no path, since a path would not be signed. Without a `calibration` the base's own
    threshold stands instead of a request's.
    """

    workspace: str
    index: str
    endpoint: str
    fields: FieldMap = field(default_factory=dict)
    calibration: Calibration | None = None


def read(value: object) -> KnowledgeBase:
    """A knowledge base from its setting's JSON, the address of its endpoint unchecked. Raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError("it must be an object")
    if unknown := sorted(set(value) - _MEMBERS):
        raise ValueError(f"unknown member {unknown[0]!r}")
    return KnowledgeBase(
        workspace=_text(value, "workspace"),
        index=_text(value, "index"),
        endpoint=_endpoint(value),
        fields=field_map.read(value.get("fields", {})),
        calibration=_calibration(value.get("calibration")),
    )


def _text(value: Mapping[str, object], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str) or not text:
        raise ValueError(f'"{name}" must be a text')
    return text


def _endpoint(value: Mapping[str, object]) -> str:
    if ("region" in value) == ("endpoint" in value):
        raise ValueError('it must have either "region" or "endpoint"')
    if "endpoint" in value:
        return _text(value, "endpoint").rstrip("/")
    region = _text(value, "region")
    if not _REGION.fullmatch(region):
        raise ValueError(f"{region[:60]!r} is not a region such as 'cn-beijing'")
    return f"https://bailian.{region}.aliyuncs.com"


def _calibration(value: object) -> Calibration | None:
    if value is None:
        return None
    if not isinstance(value, list) or not value or not all(_is_anchor(anchor) for anchor in value):
        raise ValueError('"calibration" must be a list of pairs [score of 0 to 1, reranker score of 0 to 4]')
    return Calibration(tuple((float(score), float(worth)) for score, worth in value))


def _is_anchor(value: object) -> bool:
    numbers = value if isinstance(value, list) else []
    return len(numbers) == 2 and all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
