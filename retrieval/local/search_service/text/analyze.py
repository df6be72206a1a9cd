"""`search.analyze`: the tokens that an analyzer, or parts of one, make of a text.

https://learn.microsoft.com/rest/api/searchservice/indexes/analyze
"""

from itertools import accumulate
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.text.analysis import Analyzer
from retrieval.local.search_service.text.lexical.definition import Lexicon

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


def analyzed(body: dict[str, Any], lexicon: Lexicon) -> dict[str, Any]:
    """The answer to an analyze request; `lexicon` has what the index defines. Offsets count UTF-16 units.

    Raises InvalidArgument, Unsupported.
    """
    try:
        wire = _AnalyzeWire.model_validate(body)
    except ValidationError as error:
        raise InvalidArgument(f"The analyze request is invalid: {sentence(error)}") from error
    tokens = _analyzer(wire, lexicon).tokens(wire.text)
    units = _units(wire.text)
    return {
        "tokens": [
            {
                "token": token.term,
                "startOffset": units[token.start],
                "endOffset": units[token.end],
                "position": token.position,
            }
            for token in tokens
        ]
    }


def _analyzer(wire: _AnalyzeWire, lexicon: Lexicon) -> Analyzer:
    if sum(1 for name in (wire.analyzer, wire.tokenizer, wire.normalizer) if name) != 1:
        raise InvalidArgument("An analyze request names one of analyzer, tokenizer and normalizer.")
    filters, char_filters = wire.token_filters or [], wire.char_filters or []
    if wire.tokenizer:
        return lexicon.chain(wire.tokenizer, filters, char_filters)
    if filters or char_filters:
        raise InvalidArgument("In an analyze request tokenFilters and charFilters go with a tokenizer only.")
    if wire.normalizer:
        return lexicon.normalizer(wire.normalizer)
    analyzer = lexicon.analyzer(str(wire.analyzer))
    if analyzer is None:
        raise Unsupported(f"the analyzer {str(wire.analyzer)[:128]!r}")
    return analyzer


def _units(text: str) -> list[int]:
    """For every place in characters, the one in UTF-16 units."""
    return list(accumulate((2 if sign > "\uffff" else 1 for sign in text), initial=0))
