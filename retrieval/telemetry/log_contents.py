"""The contents of logs: ids, sizes, durations and codes. Texts that may quote requests, documents or answers are logged
only if LOG_CONTENT is set."""

import logging
import math
import traceback
from collections.abc import Hashable, Iterator
from typing import Final

from retrieval.errors import (
    BackendError,
    BackendFailing,
    BackendForbidden,
    BackendMisconfigured,
    BadModelReply,
    MissingSources,
    NotConfigured,
    Place,
    RetrievalFailed,
    UnreadableDefinitions,
)
from retrieval.ports import Ticks
from retrieval.text.counted_noun import how_many

MOST_CAUSES: Final = 20
TOLD_SECONDS: Final = 60.0
MOST_TOLD: Final = 1_000
"""The most lines that are remembered."""
TALKATIVE: Final = ("openai._base_client",)
"""Loggers that write requests at levels below INFO. Some versions of the `openai` package do this."""
SILENT: Final = ("httpx2", "mcp")
"""Packages that log requests or exceptions at any level. Their lines add nothing to the lines of this service."""

logger = logging.getLogger(__name__)


for _name in SILENT:
    logging.getLogger(_name).addHandler(logging.NullHandler())  # Without a handler, logging would write to stderr.


class OnceAMinute:
    """Tells which lines of the log are news: each of them at most once a minute. `ticks` is a clock in seconds."""

    def __init__(self, *, ticks: Ticks) -> None:
        self._ticks = ticks
        self._told: dict[Hashable, float] = {}

    def is_news(self, line: Hashable) -> bool:
        """Whether this line was not news within the last minute."""
        now = self._ticks()
        if now - self._told.get(line, -math.inf) < TOLD_SECONDS:
            return False
        if len(self._told) >= MOST_TOLD:
            self._told.clear()
        self._told[line] = now
        return True


def keep_content_out(allowed: bool) -> None:
    """Unless content is `allowed` in logs, drop all lines of `SILENT`, and those of `TALKATIVE` below INFO."""
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.NOTSET if allowed else logging.INFO)
    for name in SILENT:
        logging.getLogger(name).propagate = allowed


def log_content(content: str) -> None:
    """Logs the queries, the document keys and the answer of a call. Call this only if LOG_CONTENT is set."""
    logger.info("content %s", content)


def describe(error: BaseException, *, content: bool, place: Place | None = None) -> str:
    """The description of an error for the log: its class. For a backend error it also has the status, the service, the
    `place` and a hint. With `content` it has the message instead. The messages of NotConfigured, UnreadableDefinitions
    and MissingSources are always included."""
    if content or isinstance(error, NotConfigured):
        return f"{type(error).__name__} {str(error)!r}"
    if isinstance(error, RetrievalFailed):
        places = error.places or (None,) * len(error.errors)
        kinds = dict.fromkeys(
            describe(one, content=False, place=place) for one, place in zip(error.errors, places, strict=True)
        )
        return f"RetrievalFailed ({how_many(len(error.errors), 'sub-query')}): {'; '.join(kinds)}"
    if isinstance(error, BackendFailing):
        return f"BackendFailing: {describe(error.cause, content=False, place=error.place)}"
    if isinstance(error, UnreadableDefinitions | MissingSources):
        return f"{type(error).__name__} {error}"
    if isinstance(error, BackendError):
        where = "" if place is None else f", index {place.index!r}, source {place.source!r}"
        hint = f". {error.hint}" if isinstance(error, BackendForbidden | BackendMisconfigured) else ""
        return f"{cause(error)}, {error.service}{where}{hint}"
    if isinstance(error, BadModelReply) and error.ended is not None:
        return f"BadModelReply ({error.ended})"
    return type(error).__name__


def cause(error: BackendError) -> str:
    """The cause of a failure: the class of its error, the status, and what is known beyond these. It has few values, so
    a metric can count by it."""
    if isinstance(error, BackendFailing):
        return f"BackendFailing: {cause(error.cause)}"
    status = "" if error.status is None else f" {error.status}"
    detail = "" if error.detail is None else f" ({error.detail})"
    return f"{type(error).__name__}{status}{detail}"


def trace(error: BaseException, *, content: bool) -> str:
    """The stack traces of an exception and its causes. With `content` the messages are included."""
    if content:
        return "".join(traceback.format_exception(error))
    return "".join(
        f"{''.join(traceback.format_tb(cause.__traceback__))}{type(cause).__name__}\n" for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    waiting: list[BaseException] = [error]
    for _ in range(MOST_CAUSES):
        if not waiting:
            return
        cause = waiting.pop()
        yield cause
        behind = cause.__cause__ or cause.__context__
        inner = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()
        waiting.extend([*inner, *([behind] if behind is not None else [])])
