"""What a request carries beside its request line: a JSON object, and conditions on an ETag."""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from retrieval.local.search_service.errors import InvalidArgument, SearchServiceError
from retrieval.local.wire import WireRequest

MAX_BODY = 16 * 1024 * 1024
"""Bytes of one request: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity"""


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Condition:
    """The headers If-Match and If-None-Match, as sent."""

    match: str | None = None
    none_match: str | None = None

    def check(self, etag: str | None) -> None:
        """`etag` is that of the resource, None where there is none. Raises SearchServiceError 412."""
        missing = self.match is not None and (etag is None or not _names(self.match, etag))
        present = self.none_match is not None and etag is not None and _names(self.none_match, etag)
        if missing or present:
            raise SearchServiceError(
                412, "PreconditionFailed", "The precondition given in one of the request headers evaluated to false."
            )


def _names(tags: str, etag: str) -> bool:
    return tags.strip() == "*" or etag.strip('"') in [tag.strip().strip('"') for tag in tags.split(",")]


def condition(request: WireRequest) -> Condition:
    return Condition(request.header("if-match"), request.header("if-none-match"))


def read_object(request: WireRequest) -> dict[str, Any]:
    """Raises SearchServiceError 413 for too much, InvalidArgument for anything that is not a JSON object in UTF-8."""
    if len(request.body) > MAX_BODY:
        raise SearchServiceError(413, "RequestEntityTooLarge", f"The body is larger than {MAX_BODY} bytes.")
    try:
        body = json.loads(request.body.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        reason = f"at position {error.pos}" if isinstance(error, json.JSONDecodeError) else "bad encoding or nesting"
        raise InvalidArgument(f"The body is not valid JSON ({reason}).") from error
    if not isinstance(body, dict):
        raise InvalidArgument("The body is not a JSON object.")
    if _SURROGATE.search(request.body) and not _is_encodable(body):
        raise InvalidArgument("The body holds half of a surrogate pair, which is no character.")
    return body


def _is_encodable(body: dict[str, Any]) -> bool:
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
