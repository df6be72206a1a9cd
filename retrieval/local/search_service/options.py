"""What a search request may say, and what of it this service does."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence

MAX_PAGE = 1000
MAX_SKIP = 100_000
DEFAULT_PAGE = 50
MAX_SEARCH = 100_000
"""Characters of search text: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity"""


def _names(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(name for part in value.split(",") if (name := part.strip()))


Names = Annotated[tuple[str, ...], BeforeValidator(_names)]


class SearchOptions(BaseModel):
    """The body of a search. `model_fields_set` without the members that are done is what gets refused."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel, frozen=True, strict=True)

    search: str | None = Field(None, max_length=MAX_SEARCH)
    filter: str | None = None
    select: Names | None = None
    search_fields: Names | None = None
    search_mode: Literal["any", "all"] | None = None
    query_type: Literal["simple", "full", "semantic"] | None = None
    top: int | None = Field(None, ge=0)
    skip: int | None = Field(None, ge=0, le=MAX_SKIP)
    count: bool | None = None
    semantic_configuration: str | None = None
    semantic_query: str | None = None
    semantic_error_handling: Literal["fail", "partial"] | None = None
    semantic_max_wait_in_milliseconds: int | None = Field(None, ge=700)
    captions: str | None = None
    answers: str | None = None
    scoring_statistics: Literal["local", "global"] | None = None
    session_id: str | None = None

    @property
    def page(self) -> int:
        return DEFAULT_PAGE if self.top is None else self.top

    @property
    def is_semantic(self) -> bool:
        return self.query_type == "semantic" or self.semantic_query is not None


def parse(body: dict[str, Any]) -> SearchOptions:
    """Raises InvalidArgument for a value that is wrong, Unsupported for a member that this service does not do."""
    try:
        options = SearchOptions.model_validate(body)
    except ValidationError as error:
        raise InvalidArgument(f"The search request is invalid: {sentence(error)}") from error
    for name, value in (options.model_extra or {}).items():
        _refuse(name, value)
    if options.query_type == "full":
        raise Unsupported("queryType 'full' (Lucene syntax)")
    for name, value in (("captions", options.captions), ("answers", options.answers)):
        if value not in (None, "none"):
            raise Unsupported(f"{name}: {value[:80]!r}")
    return options


_KNOWN = frozenset(
    "facets highlight highlightPreTag highlightPostTag minimumCoverage orderby scoringParameters scoringProfile debug "
    "vectorQueries vectorFilterMode hybridSearch queryLanguage speller queryRewrites semanticFields "
    "enableElevatedRead".split()
)


def _refuse(name: str, value: object) -> None:
    if name not in _KNOWN:
        raise InvalidArgument(f"The search request has the unknown property {name[:128]!r}.")
    if value not in (None, [], ""):
        raise Unsupported(f"{name} in a search request")
