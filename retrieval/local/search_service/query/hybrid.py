"""`hybridSearch`: how much of the text matches a hybrid search fuses, and what it counts.

Reference: https://learn.microsoft.com/azure/search/hybrid-search-how-to-query
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.problems import sentence

TEXT_RECALL: Final = 1000
"""So many of the text matches take part in a fusion: https://learn.microsoft.com/azure/search/hybrid-search-ranking"""

MAX_TEXT_RECALL: Final = 10_000


class _HybridWire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True, strict=True)

    max_text_recall_size: int = Field(TEXT_RECALL, ge=1, le=MAX_TEXT_RECALL)
    count_and_facet_mode: Literal["countAllResults", "countRetrievableResults"] = "countAllResults"


@dataclass(frozen=True, slots=True)
class Hybrid:
    """`text_recall` text matches are fused; count and facets are of all matches, or of what was fused alone."""

    text_recall: int = TEXT_RECALL
    counts_all: bool = True


def read(given: dict[str, Any] | None, *, is_hybrid: bool) -> Hybrid:
    """`is_hybrid`: the search has text and vector queries. Raises InvalidArgument."""
    said = {name: value for name, value in (given or {}).items() if value is not None}
    if not said:
        return Hybrid()
    if not is_hybrid:
        raise InvalidArgument("hybridSearch is for searches that have both search text and vectorQueries.")
    try:
        wire = _HybridWire.model_validate(said)
    except ValidationError as error:
        raise InvalidArgument(f"hybridSearch is invalid: {sentence(error)}") from error
    return Hybrid(wire.max_text_recall_size, wire.count_and_facet_mode == "countAllResults")
