"""A list of definitions, as much of it as the query asks for.

`search` leaves the names that begin with it, and `pageSize` cuts the list into pages (since 2026-08-01-preview);
`$select` names members; `$skip`, `$top` and `$count` are OData's, as the .NET client sends them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrieval.local.search_service.api import paging, responses
from retrieval.local.search_service.engine.versioned import Resource
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.query.options import Names
from retrieval.local.search_service.request_line import RequestLine
from retrieval.local.wire import WireRequest, WireResponse

MAX_PAGE: Final = 3_000
"""Definitions on one page: the limit of `pageSize` in the REST specification of 2026-10-01."""


class _Query(BaseModel):
    """The parameters by their names in lower case."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    select: Names = Field(("*",), alias="$select")
    search: str = ""
    search_type: Literal["prefix"] = Field("prefix", alias="searchtype")
    page_size: int = Field(MAX_PAGE, alias="pagesize", ge=1, le=MAX_PAGE)
    top: int | None = Field(None, alias="$top", ge=0)
    skip: int = Field(0, alias="$skip", ge=0)
    count: bool = Field(False, alias="$count")


Listed = TypeVar("Listed", bound=Resource)


def listed(
    wanted: RequestLine,
    request: WireRequest,
    resources: Iterable[Listed],
    *,
    shown: Callable[[Listed, Sequence[str]], dict[str, Any]] = responses.described,
) -> WireResponse:
    """One page of `resources`, and a link to the next; `shown` has each with its chosen members.

    Raises InvalidArgument.
    """
    try:
        query = _Query.model_validate(wanted.query)
    except ValidationError as error:
        raise InvalidArgument(f"The query is invalid: {sentence(error)}") from error
    named = [one for one in resources if one.name.lower().startswith(query.search.lower())]
    rest = named[query.skip :] if query.top is None else named[query.skip : query.skip + query.top]
    page = rest[: query.page_size]
    body: dict[str, Any] = {"@odata.count": len(named)} if query.count else {}
    body["value"] = [shown(one, query.select) for one in page]
    if len(page) < len(rest):
        left = None if query.top is None else query.top - len(page)
        body["@odata.nextLink"] = paging.link(request.target, query.skip + len(page), left)
    return responses.success(body)
