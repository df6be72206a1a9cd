"""Aliases: other names for an index, in requests for documents only.

Rules: https://learn.microsoft.com/azure/search/search-how-to-alias
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrieval.local.search_service.definitions.index import check_name
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.problems import sentence


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    etag: str | None = Field(None, alias="@odata.etag")
    context: str | None = Field(None, alias="@odata.context")
    name: str
    indexes: list[str] = Field(min_length=1, max_length=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """`wire` is the definition as it was sent."""

    name: str
    etag: str
    index: str
    wire: dict[str, Any]

    @classmethod
    def parse(cls, document: dict[str, Any], etag: str) -> "Alias":
        """Raises InvalidArgument."""
        try:
            wire = _Wire.model_validate(document)
        except ValidationError as error:
            raise InvalidArgument(f"The alias is invalid: {sentence(error)}") from error
        check_name(wire.name, "alias")
        return cls(name=wire.name, etag=etag, index=wire.indexes[0], wire={"name": wire.name, "indexes": wire.indexes})
