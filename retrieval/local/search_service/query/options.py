"""What a search request may say, and what of it this service does."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.query.spelling import Language, Speller

MAX_PAGE = 1000
MAX_SKIP = 100_000
DEFAULT_PAGE = 50
MAX_TAG = 1000
"""Characters of a tag around highlights."""

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
    orderby: str | None = None
    facets: list[str] | None = None
    highlight: Names | None = None
    highlight_pre_tag: str | None = Field(None, max_length=MAX_TAG)
    highlight_post_tag: str | None = Field(None, max_length=MAX_TAG)
    minimum_coverage: float | None = Field(None, ge=0, le=100)
    vector_queries: list[Any] | None = None
    vector_filter_mode: Literal["preFilter", "postFilter", "strictPostFilter"] | None = None
    scoring_statistics: Literal["local", "global"] | None = None
    session_id: str | None = None
    scoring_profile: str | None = None
    scoring_parameters: list[str] | None = None
    query_language: Language | None = None
    speller: Speller | None = None
    hybrid_search: dict[str, Any] | None = None
    debug: str | None = None

    @property
    def page(self) -> int:
        return DEFAULT_PAGE if self.top is None else self.top

    @property
    def syntax(self) -> Literal["simple", "full"]:
        """What `search` is written in: the simple syntax for a semantic search too."""
        return "full" if self.query_type == "full" else "simple"

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
    if options.orderby and options.is_semantic:
        raise InvalidArgument("A semantic search is ordered by the semantic ranker: it cannot have an orderby.")
    return options


_KNOWN = frozenset("queryRewrites semanticFields enableElevatedRead moreLikeThis".split())


def _refuse(name: str, value: object) -> None:
    if name not in _KNOWN:
        raise InvalidArgument(f"The search request has the unknown property {name[:128]!r}.")
    if value not in (None, [], "", "none", "disabled"):
        raise Unsupported(f"{name} in a search request")
