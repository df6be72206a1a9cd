"""Failures of Azure AI Search as our errors."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import pydantic_core
from azure.core.rest import AsyncHttpResponse, HttpRequest

from retrieval.backends.azure_search.body import SERVICE
from retrieval.backends.azure_search.lacks import Answered, lacking
from retrieval.backends.retries import retry_after
from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMissing,
    BackendRefused,
    BackendThrottled,
    BackendUnavailable,
)

if TYPE_CHECKING:
    from retrieval.backends.azure_search.over_aiohttp import SearchResponse

SECRET_HEADERS: Final = ("api-key", "authorization", "x-ms-query-source-authorization")


def no_such_index() -> BackendMissing:
    """The error where Azure AI Search has no index of a name."""
    return BackendMissing(SERVICE, kind="index")


def failure(
    response: "SearchResponse | AsyncHttpResponse",
    *,
    reading: str | None,
    missing_error: Callable[[], BackendMissing] = no_such_index,
) -> BackendError:
    """The error for a failure status. `reading` names the index whose definition was requested; `missing_error` makes
    the error where the index is not there.
    """
    status = response.status_code
    if status in {401, 403}:
        return BackendForbidden(SERVICE, status=status, hint=_hint(reading))
    if status == 429:
        return BackendThrottled(SERVICE, retry_after=retry_after(response.headers.get("Retry-After", "")))
    if status in {400, 402, 413}:
        answered = _answered(status, _without_secrets(response.content, response.request))
        return lacking(answered) or _refused(answered)
    if status == 404:
        return missing_error()
    return BackendUnavailable(SERVICE, f"failed ({status}).", status=status)


def _without_secrets(content: bytes, request: HttpRequest) -> bytes:
    """Removes secrets: the service's message may quote the request, and the caller sees the message."""
    secrets = [request.headers.get(name, "").removeprefix("Bearer ").encode() for name in SECRET_HEADERS]
    for secret in filter(None, secrets):
        content = content.replace(secret, b"***")
    return content


def _hint(reading: str | None) -> str:
    if reading is None:
        return "It needs the role Search Index Data Reader."
    return (
        f"The definition of index {reading!r} cannot be read: Search Index Data Reader does not allow it. "
        "Name the index's key and semantic fields in the setting INDEX_FIELDS."
    )


def _answered(status: int, content: bytes) -> Answered:
    """What a refusal says; one that cannot be read says nothing."""
    try:
        error = pydantic_core.from_json(content)["error"]
        message, code = str(error["message"]), str(error.get("code") or "")
        details = error.get("details") or []
        exact = [str(one.get("code") or "") for one in details]
    except (ValueError, TypeError, KeyError, AttributeError):
        return Answered(status, (), "no reason given")
    return Answered(status, [one[:100] for one in (*exact, code) if one], message[:1_000])


def _refused(answered: Answered) -> BackendRefused:
    code = answered.codes[-1] if answered.codes else ""
    return BackendRefused(SERVICE, status=answered.status, message=answered.message, code=code)
