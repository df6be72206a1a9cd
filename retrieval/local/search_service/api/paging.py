"""What follows a page: the same request with another `skip`, for POST as parameters and a link, for GET as a link.

https://learn.microsoft.com/azure/search/search-pagination-page-layout
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from retrieval.local.wire import WireRequest


@dataclass(frozen=True, slots=True)
class Following:
    """`parameters` is the body to send again, None for GET; `link` is relative to the service."""

    parameters: Mapping[str, Any] | None
    link: str


def following(request: WireRequest, body: Mapping[str, Any], *, given: int, more: bool) -> Following | None:
    """None where nothing follows, or where the caller got as many as `top` asked for. `body` is what was asked."""
    top = body.get("top")
    left = None if top is None else int(top) - given
    if not more or not given or left == 0:
        return None
    skip = int(body.get("skip") or 0) + given
    if request.method == "GET":
        return Following(None, link(request.target, skip, left))
    again = {**body, "skip": skip}
    return Following(again if left is None else {**again, "top": left}, request.target)


def link(target: str, skip: int, left: int | None) -> str:
    """The target of a GET again, from `skip` on, for at most `left` more."""
    url = urlsplit(target)
    kept = [
        (name, value)
        for name, value in parse_qsl(url.query, keep_blank_values=True)
        if name.lower() not in ("$skip", "$top")
    ]
    top = [] if left is None else [("$top", str(left))]
    return f"{url.path}?{urlencode([*kept, ('$skip', str(skip)), *top])}"
