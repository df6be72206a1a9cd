"""What a request for suggestions or completions may say, in a body or in a query."""

from collections.abc import Mapping
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from retrieval.local.search_service import bodies
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.query.options import Names
from retrieval.local.search_service.request_line import RequestLine
from retrieval.local.wire import WireRequest

MAX_TEXT = 100
"""Characters: https://learn.microsoft.com/rest/api/searchservice/documents/suggest-post"""


class CompletionOptions(BaseModel):
    """What both requests have in common; tags are given both or neither."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)

    search: str = Field(min_length=1, max_length=MAX_TEXT)
    suggester_name: str
    filter: str | None = None
    fuzzy: bool | None = None
    highlight_pre_tag: str | None = None
    highlight_post_tag: str | None = None
    minimum_coverage: float | None = Field(None, ge=0, le=100)
    search_fields: Names | None = None
    top: int | None = Field(None, ge=1, le=100)

    @model_validator(mode="after")
    def _check_tags(self) -> "CompletionOptions":
        if (self.highlight_pre_tag is None) != (self.highlight_post_tag is None):
            raise ValueError("highlightPreTag and highlightPostTag are given both or neither")
        return self

    @classmethod
    def names(cls) -> frozenset[str]:
        """The parameters of a query in lower case; `$` before a name is optional."""
        names = {str(field.alias).lower() for field in cls.model_fields.values()}
        return frozenset({*names, *(f"${name}" for name in names)})

    @property
    def tags(self) -> tuple[str, str] | None:
        if self.highlight_pre_tag is None or self.highlight_post_tag is None:
            return None
        return self.highlight_pre_tag, self.highlight_post_tag

    @property
    def page(self) -> int:
        return 5 if self.top is None else self.top


class SuggestOptions(CompletionOptions):
    """Which documents; only their keys are given unless `select` names more."""

    select: Names | None = None
    orderby: str | None = None


class AutocompleteOptions(CompletionOptions):
    """Which words."""

    autocomplete_mode: Literal["oneTerm", "twoTerms", "oneTermWithContext"] = "oneTerm"


T = TypeVar("T", bound=CompletionOptions)


def read(options: type[T], wanted: RequestLine, request: WireRequest) -> T:
    """The options of a POST's body, or of a GET's query. Raises InvalidArgument naming what is wrong."""
    body = _from_query(options, wanted.query) if request.method == "GET" else bodies.read_object(request)
    try:
        return options.model_validate(body)
    except ValidationError as error:
        raise InvalidArgument(f"The request is invalid: {sentence(error)}") from error


def _from_query(options: type[CompletionOptions], query: Mapping[str, str]) -> dict[str, str]:
    """The body that a query with lower-case names stands for; `$` before a name is optional."""
    names = {str(field.alias).lower(): str(field.alias) for field in options.model_fields.values()}
    given = {name.removeprefix("$"): value for name, value in query.items() if name != "api-version"}
    return {names.get(name, name): value for name, value in given.items()}
