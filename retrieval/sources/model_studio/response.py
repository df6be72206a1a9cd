"""Reads Model Studio's answers to Retrieve, version 2023-12-29. An answer is a page of chunks or a failure.

A failure has an error status, or the status 200 with `Success: false`. The error codes are known only from
documentation and from other clients. So a code is recognised by one of its parts. Examples of codes are
`Index.NotExist`, `Throttling.User` and `DataCenter.Throttling`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import to_json

from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMissing,
    BackendRefused,
    BackendThrottled,
    BackendUnanswered,
    BackendUnavailable,
    RankerAway,
)
from retrieval.model.search import Hit, Page
from retrieval.outgoing.bodies import UNREADABLE
from retrieval.outgoing.breakers_and_retries import retry_after
from retrieval.outgoing.connections import HttpAnswer
from retrieval.sources.model_studio.base import LINEAR, ModelStudioBase, ScoreCalibration

SERVICE: Final = "Model Studio"

MOST_CHUNKS: Final = 20
"""The most chunks that one call returns."""

REDIRECTS: Final = range(300, 400)

_FORBIDDEN: Final = frozenset(
    """AccessDenied Forbidden IncompleteSignature InvalidAccessKeyId InvalidSecurityToken InvalidTimeStamp NoPermission
    NoWorkspacePermissions SignatureDoesNotMatch SignatureNonceUsed""".split()
)
_ABSENT: Final = frozenset({"NotExist", "NotFound"})
_EXPIRING: Final = "file_path"


class StudioShape(BaseModel):
    """A part of an answer, with the members that are read here."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True, defer_build=True)


class Data(StudioShape):
    """Nodes are read one by one, so that an invalid node does not affect other nodes."""

    nodes: list[Any] | None = Field(default=None, alias="Nodes")


class RetrieveAnswer(StudioShape):
    success: bool | None = Field(default=None, alias="Success")
    code: Any = Field(default="", validation_alias=AliasChoices("Code", "code"))
    message: Any = Field(default="", validation_alias=AliasChoices("Message", "message"))
    status: str | None = Field(default=None, alias="Status")
    data: Data | None = Field(default=None, alias="Data")


class Node(StudioShape):
    text: str | None = Field(default=None, alias="Text")
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] | None = Field(
        default=None, alias="Score"
    )
    metadata: dict[str, JsonValue] = Field(default={}, alias="Metadata")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error of the service instead of a page. `retry_after` is in seconds."""

    status: int
    code: str
    message: str
    retry_after: float | None = None

    @property
    def throttled(self) -> bool:
        return self.status == 429 or bool(self.retry_after) or "Throttling" in self.code.split(".")

    @property
    def error(self) -> BackendError:
        """The failure as an error of `retrieval.errors`."""
        parts = frozenset(self.code.split("."))
        if self.throttled:
            return BackendThrottled(SERVICE, retry_after=self.retry_after)
        if self.status in {401, 403} or parts & _FORBIDDEN:
            hint = f"Its code is {self.code}. Check the access key, the RAM action sfm:Retrieve and the workspace."
            return BackendForbidden(SERVICE, status=self.status, hint=hint)
        if self.status == 404 or parts & _ABSENT:
            return BackendMissing(SERVICE, kind="knowledge base", hint=f"Its code is {self.code}.")
        if self.status in {400, 413, 414} or "InvalidParameter" in parts:
            return BackendRefused(SERVICE, status=self.status, message=f"{self.code}: {self.message}", code=self.code)
        reason = f"failed ({', '.join(filter(None, (str(self.status), self.code)))})."
        return BackendUnavailable(SERVICE, reason, status=self.status)


def read_answer(answer: HttpAnswer, base: ModelStudioBase) -> Page | Failure:
    """The page of a successful answer, or the failure that the status or the envelope states. Raises BackendUnavailable
    for any other answer."""
    if answer.status in REDIRECTS:
        reason = "could not be reached: it redirects to another address."
        raise BackendUnavailable(SERVICE, reason, status=answer.status)
    envelope = _envelope(answer)
    if answer.status < 400 and envelope.success is None:
        raise BackendUnanswered(SERVICE, UNREADABLE, why="unreadable")
    if answer.status < 400 and envelope.success:
        return replace(page_of((envelope.data or Data()).nodes or [], base), size=len(answer.content))
    return Failure(
        status=_status(envelope.status) if answer.status < 400 else answer.status,
        code=_short(envelope.code, 100),
        message=_short(envelope.message, 1_000),
        retry_after=retry_after(answer.headers.get("x-acs-retry-after", ""), unit=0.001),
    )


def _envelope(answer: HttpAnswer) -> RetrieveAnswer:
    """The envelope of an answer. It is empty if the content is not a valid envelope and the status is that of a
    temporary failure. Raises BackendUnavailable for any other invalid content."""
    try:
        return RetrieveAnswer.model_validate(json.loads(answer.content))
    except (ValueError, RecursionError):
        if answer.may_pass:
            return RetrieveAnswer()
        raise BackendUnanswered(SERVICE, UNREADABLE, why="unreadable") from None


def page_of(nodes: Sequence[object], base: ModelStudioBase) -> Page:
    hits = [_hit(node, base.calibration or LINEAR) for node in nodes]
    readable = tuple(hit for hit in hits if isinstance(hit, Hit))
    unranked = any(hit.score is None for hit in readable)
    return Page(
        hits=readable,
        unreadable=hits.count("unreadable"),
        excluded=hits.count("excluded"),
        unranked=RankerAway(SERVICE, cause="no score was returned") if unranked else None,
        most=MOST_CHUNKS,
        cut=base.calibration is None,
    )


def _hit(value: object, calibration: ScoreCalibration) -> Hit | Literal["unreadable", "excluded"]:
    """The hit of a chunk. The service also returns chunks that the owner of the knowledge base excluded from retrieval.
    The flag `is_displayed_chunk_content` of such a chunk is false, as a boolean or a text."""
    try:
        node = Node.model_validate(value)
        to_json(value)  # raises ValueError for half of a surrogate pair
    except (ValueError, RecursionError):
        return "unreadable"
    metadata, key = node.metadata, node.metadata.get("_id")
    if str(metadata.get("is_displayed_chunk_content")).lower() == "false":
        return "excluded"
    if not isinstance(key, str) or not key:
        return "unreadable"
    content = node.text or _first(metadata, "content")
    return Hit(
        key=key,
        score=None if node.score is None else calibration.reranker_score(node.score),
        title=_first(metadata, "title", "doc_name"),
        content=content,
        source={"content": content, **_lasting_metadata(metadata)},
    )


def _lasting_metadata(metadata: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The metadata without temporary members. A member with a name that begins with an underscore may change, except
    `_id`. The URL of a file expires."""
    return {
        name: value
        for name, value in metadata.items()
        if name == "_id" or not (name.startswith("_") or name == _EXPIRING)
    }


def _first(metadata: Mapping[str, JsonValue], *names: str) -> str | None:
    values = (metadata.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), None)


def _status(text: str | None) -> int:
    """The status that is stated in a failure with the HTTP status 200; 200 if there is no valid status."""
    return int(text) if text and len(text) == 3 and text.isascii() and text.isdigit() else 200


def _short(text: object, length: int) -> str:
    return str(text)[:length].encode("utf-8", "replace").decode()
