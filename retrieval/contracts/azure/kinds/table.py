"""The kinds of knowledge sources by name. The kinds that are no indexes have a folder, by the table of
`retrieval.sources`; the others have their rows here."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final, get_args

from retrieval.contracts.azure.kinds.indexes import INGESTED, SEARCH_INDEX
from retrieval.contracts.azure.kinds.kind import Kind, Shapes
from retrieval.model.definitions import IngestedKind, SourceKind
from retrieval.sources import ROOMS

KINDS: Final[Mapping[SourceKind, Kind]] = MappingProxyType(
    {
        "searchIndex": SEARCH_INDEX,
        **{kind: import_module(f"retrieval.sources.{folder}.definition").KIND for kind, folder in ROOMS.items()},
        **dict.fromkeys(get_args(IngestedKind), INGESTED),
    }
)

SHAPES: Final[tuple[Shapes, ...]] = tuple(kind.shapes for kind in KINDS.values() if kind.shapes is not None)
"""The shapes of the kinds that are no indexes."""

FREE: Final = frozenset[str]().union(*(kind.free for kind in KINDS.values()))

_WAYS_OUT: Final = {name: way_out for kind in KINDS.values() for name, way_out in kind.ways_out.items()}


COMMON: Final = ("searchIndex", "modelStudioBase", *get_args(IngestedKind))
"""The kinds of every version since 2026-05-01-preview."""


def served(*kinds: SourceKind) -> tuple[SourceKind, ...]:
    """The kinds of a version, in the order of `KINDS`, without those that are not served."""
    return tuple(kind for kind in KINDS if kind in kinds)


def check_served(kind: object) -> object:
    """The kind. Raises ValueError for one that is not served here. The error names an alternative, or the kinds that
    are served."""
    if isinstance(kind, str) and kind not in KINDS:
        way_out = _WAYS_OUT.get(kind) or f"{', '.join(KINDS)} are"
        raise ValueError(f"knowledge sources of the kind {kind[:100]!r} are not served here; {way_out}")
    return kind
