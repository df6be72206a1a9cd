"""`search.analyze`: the tokens that an analyzer makes of a text.

https://learn.microsoft.com/rest/api/searchservice/indexes/analyze
"""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.analysis import ANALYZERS
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence

MAX_TEXT: Final = 1_000_000
"""Characters."""


class _AnalyzeWire(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True, strict=True)

    text: str = Field(max_length=MAX_TEXT)
    analyzer: str | None = None
    tokenizer: str | None = None
    normalizer: str | None = None
    token_filters: list[str] | None = None
    char_filters: list[str] | None = None


def analyzed(body: dict[str, Any]) -> dict[str, Any]:
    """The answer to an analyze request. Offsets count characters. Raises InvalidArgument, Unsupported."""
    try:
        wire = _AnalyzeWire.model_validate(body)
    except ValidationError as error:
        raise InvalidArgument(f"The analyze request is invalid: {sentence(error)}") from error
    parts = {"tokenizer": wire.tokenizer, "normalizer": wire.normalizer}
    for name, value in {**parts, "tokenFilters": wire.token_filters, "charFilters": wire.char_filters}.items():
        if value:
            raise Unsupported(f"{name} in an analyze request")
    if wire.analyzer is None:
        raise InvalidArgument("The analyze request names no analyzer.")
    analyzer = ANALYZERS.get(wire.analyzer)
    if analyzer is None:
        raise Unsupported(f"the analyzer {wire.analyzer[:128]!r}")
    return {
        "tokens": [
            {
                "token": token.term,
                "startOffset": token.start,
                "endOffset": token.end,
                "position": token.position,
            }
            for token in analyzer.tokens(wire.text)
        ]
    }
