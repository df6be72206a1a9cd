"""`vectorSearch.compressions`: checked, kept and given back. Vectors are searched whole here, so results are exact.

Reference: https://learn.microsoft.com/azure/search/vector-search-how-to-quantization. `rerankWithOriginalVectors` and
`defaultOversampling` are the older spelling of `rescoringOptions`; a compression has one of the two.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.definitions.fields import MAX_DIMENSIONS, IndexField
from retrieval.local.search_service.errors import InvalidArgument

MIN_DIMENSIONS: Final = 2

_FLOATS: Final = ("Edm.Single", "Edm.Half")

Kind = Literal["scalarQuantization", "binaryQuantization"]

_Truth = Annotated[bool, Strict()]
_Dimension = Annotated[int, Strict(), Field(ge=MIN_DIMENSIONS, le=MAX_DIMENSIONS)]
Oversampling = Annotated[float, Strict(), Field(ge=1, allow_inf_nan=False)]
"""How many times `k` documents are rescored."""


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)


class _ScalarParameters(_Wire):
    quantized_data_type: Literal["int8"] | None = None


class _Rescoring(_Wire):
    enable_rescoring: _Truth | None = None
    default_oversampling: Oversampling | None = None
    rescore_storage_method: Literal["preserveOriginals", "discardOriginals"] | None = None


class CompressionWire(_Wire):
    """A compression as the REST API receives it."""

    name: str = Field(min_length=1, max_length=128)
    kind: Kind
    truncation_dimension: _Dimension | None = None
    scalar_quantization_parameters: _ScalarParameters | None = None
    rescoring_options: _Rescoring | None = None
    rerank_with_original_vectors: _Truth | None = None
    default_oversampling: Oversampling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compression:
    """What of a compression cannot change once a field has it: its kind, its dimensions, what is kept of the vectors.

    `truncation` is None where vectors keep all their dimensions.
    """

    kind: Kind
    truncation: int | None
    keeps_originals: bool

    @property
    def rescores(self) -> bool:
        """Whether a query may oversample: binary vectors are rescored without the originals, others with them only."""
        return self.keeps_originals or self.kind == "binaryQuantization"


def read(wire: CompressionWire) -> Compression:
    """Raises InvalidArgument for options that do not go together."""
    rescoring = wire.rescoring_options
    older = wire.rerank_with_original_vectors, wire.default_oversampling
    if rescoring is not None and older != (None, None):
        raise _refusal(wire, "has rescoringOptions beside their older spelling: give one of the two")
    if wire.kind == "binaryQuantization" and wire.scalar_quantization_parameters is not None:
        raise _refusal(wire, "of the kind 'binaryQuantization' cannot have scalarQuantizationParameters")
    enabled, oversampling = older if rescoring is None else (rescoring.enable_rescoring, rescoring.default_oversampling)
    compression = Compression(
        kind=wire.kind,
        truncation=wire.truncation_dimension,
        keeps_originals=rescoring is None or rescoring.rescore_storage_method != "discardOriginals",
    )
    if oversampling is not None and enabled is False:
        raise _refusal(wire, "has defaultOversampling, which needs rescoring to be enabled")
    if (oversampling is not None or enabled) and not compression.rescores:
        raise _refusal(wire, "discards the original vectors, which rescoring of scalarQuantization needs")
    return compression


def check_field(field: IndexField, compression: Compression) -> None:
    """Raises InvalidArgument for a field whose vectors cannot be compressed so."""
    if field.type not in _FLOATS:
        raise InvalidArgument(
            f"The vector field {field.name!r} of type Collection({field.type}) cannot be compressed: "
            "only Collection(Edm.Single) and Collection(Edm.Half) can."
        )
    if compression.truncation is not None and compression.truncation > (field.dimensions or 0):
        raise InvalidArgument(
            f"The vector field {field.name!r} has {field.dimensions} dimensions: "
            f"its compression cannot truncate them to {compression.truncation}."
        )


def check_query(field: IndexField, compression: Compression | None) -> None:
    """Raises InvalidArgument for a field over which a query cannot oversample."""
    if compression is None:
        raise InvalidArgument(f"oversampling needs a compression, which the field {field.name!r} does not have.")
    if not compression.rescores:
        raise InvalidArgument(
            f"oversampling needs the original vectors, which the compression of the field {field.name!r} discards."
        )


def check_unchanged(field: str, before: Compression | None, after: Compression | None) -> None:
    """Raises InvalidArgument where an update of an index would compress the vectors that a field has in another way."""
    if before != after:
        raise InvalidArgument(
            f"The compression of the existing field {field!r} cannot be changed (kind, truncationDimension, "
            "rescoreStorageMethod): add a new field with a new profile."
        )


def _refusal(wire: CompressionWire, what: str) -> InvalidArgument:
    return InvalidArgument(f"The compression {wire.name!r} {what}.")
