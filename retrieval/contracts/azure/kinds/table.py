"""The kinds of knowledge sources by name. The kinds that are no indexes have a folder, by the table of
`retrieval.sources`; the others have their rows here."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from retrieval.contracts.azure.kinds.azure_blob import AZURE_BLOB
from retrieval.contracts.azure.kinds.ingested import INGESTED
from retrieval.contracts.azure.kinds.kind import Kind, Shapes
from retrieval.contracts.azure.kinds.search_index import SEARCH_INDEX
from retrieval.model.definitions import SourceKind
from retrieval.sources import ROOMS


def _of_room(folder: str) -> Kind:
    kind: Kind = import_module(f"retrieval.sources.{folder}.definition").KIND
    return kind


KINDS: Final[Mapping[SourceKind, Kind]] = MappingProxyType(
    {
        "searchIndex": SEARCH_INDEX,
        **{kind: _of_room(folder) for kind, folder in ROOMS.items()},
        "azureBlob": AZURE_BLOB,
        "indexedSharePoint": INGESTED,
        "indexedOneLake": INGESTED,
        "indexedSql": INGESTED,
        "file": INGESTED,
    }
)

SHAPES: Final[tuple[Shapes, ...]] = tuple(kind.shapes for kind in KINDS.values() if kind.shapes is not None)
"""The shapes of the kinds that are no indexes."""

FREE: Final = frozenset[str]().union(*(kind.free for kind in KINDS.values()))

_WAYS_OUT: Final = {name: way_out for kind in KINDS.values() for name, way_out in kind.ways_out.items()}


def served(*kinds: SourceKind) -> tuple[SourceKind, ...]:
    """The kinds of a version, without those that are not served."""
    return tuple(kind for kind in kinds if kind in KINDS)


def check_served(kind: str) -> None:
    """Raises ValueError for a kind that is not served here. The error names an alternative, or the kinds that are
    served."""
    if kind not in KINDS:
        way_out = _WAYS_OUT.get(kind) or f"{', '.join(KINDS)} are"
        raise ValueError(f"knowledge sources of the kind {kind[:100]!r} are not served here; {way_out}")
