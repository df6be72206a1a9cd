"""Writes the log of calls. A logged call has one line. A failure of this service, or of a service behind it, has
another line."""

import asyncio
import logging
import zlib
from collections.abc import Mapping

from retrieval.contracts.rendered import Rendered
from retrieval.errors import BackendError, RetrievalError, RetrievalFailed
from retrieval.http.call import Call
from retrieval.model.caller import Caller
from retrieval.model.definitions import is_name
from retrieval.telemetry import logs, spans

logger = logging.getLogger(__name__)


def of_agent(words: str, call: Call, caller: Caller | None) -> str:
    """The subject of a call in the log: the agent and the caller. An invalid name is replaced by `-`."""
    name = call.route.get("name", "")
    return f"{words} agent={name if is_name(name) else '-'} caller={('-' if caller is None else caller.id)!r}"


def of_source(words: str, call: Call, caller: Caller | None) -> str:
    """The subject of a call that names a knowledge source."""
    return of_agent(words, call, caller).replace(" agent=", " source=", 1)


def is_logged(call: Call, answer: Rendered, *, percent: int) -> bool:
    """Whether to log the call. Refused and failed calls are always logged. `percent` is the share of successful calls
    that are logged, chosen by request id."""
    return answer.status >= 400 or percent >= 100 or zlib.crc32(call.request_id.encode()) % 100 < percent


def log_call(
    subject: str, call: Call, status: int, *, contract: str, size: int, start: float, counts: Mapping[str, int]
) -> None:
    """Writes the log line of a call. `size` is the size of the answer in bytes. `start` is the time on the event loop's
    clock when the call arrived. `counts` are the numbers of found, returned and dropped documents.
    """
    elapsed = round((asyncio.get_running_loop().time() - start) * 1000)
    documents = "".join(f" {name}={count}" for name, count in counts.items())
    line = "%s contract=%r status=%d request_bytes=%d answer_bytes=%d elapsed_ms=%d%s"
    logger.info(line, subject, contract, status, len(call.body), size, elapsed, documents)


def log_failure(error: RetrievalError, *, status: int, content: bool) -> None:
    """Logs a failure of this service or of a service that it calls. A caller's error is not logged here, but the span
    records it. A status 429 is logged if another service throttled this service.
    """
    spans.failed(error, status=status)
    if status >= 500 or (status == 429 and isinstance(error, BackendError | RetrievalFailed)):
        logger.error("%s%s", logs.describe(error, content=content), spans.ids())


def log_fault(error: Exception, call: Call, *, content: bool) -> None:
    """Logs a bug of this service, with the stack trace."""
    spans.failed(error, status=500)
    logger.error("A fault of this service, request-id %s\n%s", call.request_id, logs.trace(error, content=content))
