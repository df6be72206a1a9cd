"""The kinds of parts that an index may define, with their options: what they share, and the char filters.

https://learn.microsoft.com/rest/api/searchservice/indexes/create. A member that is null counts as not given.
"""

from collections.abc import Container
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.text.lexical import char_filters
from retrieval.local.search_service.text.lexical.char_filters import CharFilter
from retrieval.local.search_service.text.lexical.limits import MAX_TERM

MAX_WORDS: Final = 10_000
"""Words of one list."""


def _flags(value: object) -> object:
    """As one text, joined by bars, or as a list."""
    return [flag for flag in value.split("|") if flag] if isinstance(value, str) else value


Flags = Annotated[list[str], BeforeValidator(_flags)]
Words = Annotated[list[str], Field(max_length=MAX_WORDS)]
Length = Annotated[int, Field(ge=1, le=MAX_TERM)]


class Wire(BaseModel):
    """A part as the REST API receives it."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True, strict=True)

    odata_type: str = Field(alias="@odata.type")
    name: str


def represented(wire: Wire, given: dict[str, Any]) -> dict[str, Any]:
    """The part as it is given back: with its defaults, but for lists of words, which may be long."""
    defaults = {
        name: value
        for name, value in wire.model_dump(by_alias=True).items()
        if value in ([], None) or not isinstance(value, list)
    }
    return {**defaults, **{name: value for name, value in given.items() if value is not None}}


def check_grams(least: int, most: int, name: str) -> None:
    if least >= most:
        raise InvalidArgument(f"Of {name[:128]!r} minGram ({least}) must be less than maxGram ({most}).")


class CharFilterWire(Wire):
    def char_filter(self) -> CharFilter:
        raise NotImplementedError


class _Mapping(CharFilterWire):
    mappings: list[str]

    def char_filter(self) -> CharFilter:
        return char_filters.mapping(self.mappings)


class _PatternReplace(CharFilterWire):
    pattern: str
    replacement: str

    def char_filter(self) -> CharFilter:
        return char_filters.pattern_replace(self.pattern, self.replacement)


CHAR_FILTERS: Final[dict[str, type[CharFilterWire]]] = {
    "MappingCharFilter": _Mapping,
    "PatternReplaceCharFilter": _PatternReplace,
}
LACKING: Final = frozenset(
    "ClassicTokenizer MicrosoftLanguageTokenizer MicrosoftLanguageStemmingTokenizer PathHierarchyTokenizer "
    "PathHierarchyTokenizerV2 UaxUrlEmailTokenizer CjkBigramTokenFilter CommonGramTokenFilter "
    "DictionaryDecompounderTokenFilter KeepTokenFilter KeywordMarkerTokenFilter PatternCaptureTokenFilter "
    "PhoneticTokenFilter ShingleTokenFilter StemmerOverrideTokenFilter WordDelimiterTokenFilter".split()
)
"""Kinds of Azure's that nothing here stands behind."""

PREFIX: Final = "#Microsoft.Azure.Search."


def kind_of(item: dict[str, Any], known: Container[str], what: str) -> str:
    """The name of the kind. Raises InvalidArgument for none, Unsupported for one that is lacking here."""
    kind = str(item.get("@odata.type", "")).removeprefix(PREFIX)
    if kind in LACKING:
        raise Unsupported(f"the {what} kind {kind!r}")
    if kind not in known or not str(item["@odata.type"]).startswith(PREFIX):
        raise InvalidArgument(
            f"A {what} has no kind {str(item.get('@odata.type'))[:128]!r}; its @odata.type begins with {PREFIX}."
        )
    return kind
