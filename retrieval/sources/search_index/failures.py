"""Turns failures of Azure AI Search into the errors of `retrieval.errors`.

Some answers report something that the search service or the index lacks (LACKING). They do not depend on the caller's
request.

A 402 is recognised by its status alone. The others also have a known code, in the error or in its details. If the
service sends no code, the beginning of the message decides. Sources:
https://learn.microsoft.com/rest/api/searchservice/http-status-codes (402), and answers that users of the service have
quoted.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import pydantic_core
from azure.core.rest import AsyncHttpResponse, HttpRequest

from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMisconfigured,
    BackendMissing,
    BackendRefused,
    BackendThrottled,
    BackendUnavailable,
    Lack,
)
from retrieval.filters import odata
from retrieval.model.definitions import IndexFields
from retrieval.model.search import SearchTarget
from retrieval.outgoing import bodies
from retrieval.outgoing.breakers_and_retries import retry_after
from retrieval.sources.search_index.query import SERVICE, named_fields

if TYPE_CHECKING:
    from retrieval.sources.search_index.over_aiohttp import SearchResponse

MOST_READ: Final = 65_536
"""The most bytes of a refusal that is read. Larger refusals give no reason."""

_LITERAL: Final = re.compile(r"'(?:[^']|'')*'")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_OPERATORS: Final = frozenset(
    {"eq", "ne", "gt", "ge", "lt", "le", "and", "or", "not", "any", "all", "null", "true", "false"}
)

SECRET_HEADERS: Final = ("api-key", "authorization", "x-ms-query-source-authorization")


class Answered(NamedTuple):
    """A refusal: its status, its codes with the most exact code first, and its message."""

    status: int
    codes: Sequence[str]
    message: str


class NameRefused(Exception):
    """The service refuses the name of a field or a semantic configuration that this service gave. `error` is the
    refusal. `lack` is what the index lacks."""

    def __init__(self, name: str, error: BackendRefused | BackendMisconfigured, *, lack: Lack) -> None:
        super().__init__(name)
        self.name = name
        self.error = error
        self.lack = lack

    @property
    def is_field(self) -> bool:
        """Whether the service refuses the field itself, and not the ranking or the vectors that need it."""
        return isinstance(self.error, BackendRefused)


class SearchRefusal(NamedTuple):
    """An answer with a known meaning. If `code` and `begins` are empty, the status alone identifies the answer."""

    status: int
    lack: Lack
    hint: str
    code: str = ""
    begins: str = ""

    def fits(self, answered: Answered) -> bool:
        if answered.status != self.status:
            return False
        if self.code:
            return self.code in answered.codes
        return not self.begins or (not answered.codes and answered.message.startswith(self.begins))


RANKER: Final = "Switch the semantic ranker on: SEMANTIC_RANKER=standard, or az search service update."
CONFIGURATION: Final = "Add it to the index, or correct the one that the agent or INDEX_FIELDS names."
VECTORIZER: Final = "Look at the vectorizer of the index, and let the search service's identity use the model."

LACKING: Final = (
    SearchRefusal(400, "ranker", RANKER, code="SemanticQueriesNotAvailable"),
    SearchRefusal(400, "ranker", RANKER, code="FeatureNotSupportedInService"),
    SearchRefusal(400, "configuration", CONFIGURATION, code="UnknownSemanticConfiguration"),
    SearchRefusal(400, "vectorizer", VECTORIZER, code="InvalidVectorQuery"),
    SearchRefusal(400, "vectorizer", VECTORIZER, begins="Could not complete vectorization action."),
    SearchRefusal(400, "vectorizer", VECTORIZER, begins="Could not vectorize the query"),
    SearchRefusal(402, "quota", "The month's free semantic queries are used up: SEMANTIC_RANKER=standard."),
)


def lacking(answered: Answered) -> BackendMisconfigured | None:
    """The error for an answer in LACKING; None for any other answer."""
    known = next((row for row in LACKING if row.fits(answered)), None)
    return known and BackendMisconfigured(
        SERVICE, status=known.status, lack=known.lack, hint=known.hint, message=answered.message
    )


def refused_name(message: str, query: Mapping[str, object], *, hinted: Sequence[str]) -> str | None:
    """The semantic configuration or the field of a search that the service refuses; None if it refuses something else.
    `message` is the service's. It quotes the name, or only the last part of the path of a field within a complex field.
    A field that the filter names is the caller's, and a field in `hinted` is that of a hint, unless the service says
    that it was selected."""
    names = (str(query.get("semanticConfiguration", "")), *named_fields(query))
    whole = ((name, name) for name in names if name)
    parts = ((name, part) for name in names if "/" in name for part in name.split("/"))
    refused = next(((name, word) for name, word in chain(whole, parts) if _quotes(message, word)), None)
    if refused is None or "$filter" in message:
        return None
    name, word = refused
    is_others = name in hinted or re.search(rf"\b{re.escape(word)}\b", str(query.get("filter", ""))) is not None
    return None if is_others and "$select" not in message else name


def refused_in_filter(message: str, query: Mapping[str, object], target: SearchTarget) -> str | None:
    """The field of the knowledge source's own filter, or of the imposed one, that the service refuses. None if it
    refuses something else, if the caller's filter names the field too, or if it has the imposed name in a literal: such
    a filter must not take an instance out of service."""
    base, imposed = ("" if part is None else odata.text(part) for part in (target.base_filter, target.imposed_filter))
    rest = str(query.get("filter", "")).replace(imposed, "", 1).replace(base, "", 1)
    names = (_filter_names(base) - _filter_names(rest)) | (_filter_names(imposed) - {*_NAME.findall(rest)})
    return next((name for name in sorted(names) if _quotes(message, name)), None)


def _filter_names(text: str) -> set[str]:
    """The names in a filter: its fields, and variables and functions."""
    return {*_NAME.findall(_LITERAL.sub("", text))} - _OPERATORS


def check_names(
    error: BackendRefused | BackendMisconfigured,
    query: Mapping[str, object],
    *,
    hinted: Sequence[str] = (),
    target: SearchTarget | None = None,
) -> None:
    """Raises NameRefused if the error of a search is the refusal of a name that the search gave. `hinted` are the
    fields of hints."""
    configuration = query.get("semanticConfiguration")
    lack: Lack | None = error.lack if isinstance(error, BackendMisconfigured) else None
    if lack == "configuration":
        name: str | None = str(configuration or "default")
    else:
        in_filter = None if target is None else refused_in_filter(error.message, query, target)
        name = in_filter or refused_name(error.message, query, hinted=hinted)
    if name is not None:
        raise NameRefused(name, error, lack=lack or ("configuration" if name == configuration else "field")) from error


def refused_twice(
    refusal: NameRefused, target: SearchTarget, configured: IndexFields | None, *, unread: str | None = None
) -> BackendMisconfigured:
    """The error for a name that the service still refuses. It tells the index, the name, and the setting to correct.
    `configured` are the roles in INDEX_FIELDS; None if they were read from the definition. `unread` is the reason why
    the definition could not be read again."""
    error, name = refusal.error, refusal.name
    if _is_imposed(name, target):
        hint = f"Index {target.index!r} refuses a field of the filter that IMPOSED_FILTERS imposes on it."
        return BackendMisconfigured(SERVICE, status=error.status, lack="field", hint=hint)
    member = _member(name, target, configured)
    where = "INDEX_FIELDS" if member is None else f"{member} of the knowledge source {target.source_name!r}"
    if member is not None or configured is not None:
        advice = f"It is named by {where}: correct that, or the index."
    elif unread is None:
        advice = "The definition, read again just now, names it: correct the index, or name its fields in INDEX_FIELDS."
    else:
        advice = f"The definition could not be read again, as it {unread} Name the index's fields in INDEX_FIELDS."
    hint = f"Index {target.index!r} refuses {name[:128]!r}. {advice}"
    return BackendMisconfigured(SERVICE, status=error.status, lack=refusal.lack, hint=hint, message=error.message)


def _is_imposed(name: str, target: SearchTarget) -> bool:
    """Whether the imposed filter has the name, which is not told to callers, and nothing else of the search has it."""
    imposed = target.imposed_filter
    return imposed is not None and name in _filter_names(odata.text(imposed)) and _member(name, target, None) is None


def _member(name: str, target: SearchTarget, configured: IndexFields | None) -> str | None:
    """The member of the knowledge source that names a field or a semantic configuration; None if INDEX_FIELDS or the
    definition names it."""
    if target.semantic_configuration == name:
        return "semanticConfigurationName"
    if configured is not None and name in (configured.key, *configured.semantic, *configured.vectors):
        return None
    in_filter = set() if target.base_filter is None else _filter_names(odata.text(target.base_filter))
    members = {
        "sourceDataFields": target.source_fields,
        "searchFields": target.search_fields,
        "baseFilter": in_filter,
    }
    return next((member for member, names in members.items() if name in names), None)


def _quotes(message: str, word: str) -> bool:
    return f"'{word}'" in message or f'"{word}"' in message


def no_such_index() -> BackendMissing:
    """The error for an index that does not exist in Azure AI Search."""
    return BackendMissing(SERVICE, kind="index")


def failure(
    response: "SearchResponse | AsyncHttpResponse",
    *,
    reading: str | None,
    missing_error: Callable[[], BackendMissing] = no_such_index,
) -> BackendError:
    """The error for a failure status. `reading` is the name of the index if its definition was requested, and None
    otherwise. `missing_error` makes the error for a missing index.
    """
    status = response.status_code
    if status in {401, 403}:
        return BackendForbidden(
            SERVICE, status=status, hint=_hint(reading, with_key="api-key" in response.request.headers)
        )
    if status == 429:
        return BackendThrottled(SERVICE, retry_after=retry_after(response.headers.get("Retry-After", "")))
    if status in {400, 402, 413}:
        content = response.content if len(response.content) <= MOST_READ else b""
        answered = _answered(status, _without_secrets(content, response.request))
        code = answered.codes[-1] if answered.codes else ""
        return lacking(answered) or BackendRefused(SERVICE, status=status, message=answered.message, code=code)
    if status == 404:
        return missing_error()
    return BackendUnavailable(SERVICE, f"failed ({status}).", status=status)


def _without_secrets(content: bytes, request: HttpRequest) -> bytes:
    """Removes secrets from the content. The service's message may quote the request, and the caller sees the
    message."""
    for name in SECRET_HEADERS:
        secret = request.headers.get(name, "").removeprefix("Bearer ")
        content = bodies.without_secret(content, secret, replacement=b"***")
    return content


def _hint(reading: str | None, *, with_key: bool) -> str:
    if reading is None and with_key:
        return "Its key is not accepted: somebody renewed it, or it is wrong. Or a network rule shuts the app out."
    if reading is None:
        return "It needs the role Search Index Data Reader."
    return (
        f"The definition of index {reading!r} cannot be read: Search Index Data Reader does not allow it. "
        "Name the index's key and semantic fields in the setting INDEX_FIELDS."
    )


def _answered(status: int, content: bytes) -> Answered:
    """The codes and the message of a refusal. If the content cannot be read, there are no codes, and the message is `no
    reason given`."""
    try:
        error = pydantic_core.from_json(content)["error"]
        message, code = str(error["message"]), str(error.get("code") or "")
        details = error.get("details") or []
        exact = [str(one.get("code") or "") for one in details]
    except (ValueError, TypeError, KeyError, AttributeError):
        return Answered(status, (), "no reason given")
    return Answered(status, [one[:100] for one in (*exact, code) if one], message[:1_000])
