"""Repeats a failed call after a short wait, and reads the wait that a service asks for. A call is not repeated if the
service asks for a wait of more than LONGEST_WAIT, because a caller is waiting. The pauses before a call is
repeated do not count as search time.

`patiently` decides which calls without an answer are repeated. Its callers decide about other failures: `_wait` in
search_index/index.py, `_wait` in model_studio/search.py, and `send` in mcp_server/search/exchange.py. `send` also
excludes calls that the MCP server may have received and that must not run twice. `_reply` in call/run.py calls a
throttled model once more.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import Final, TypeVar

from retrieval.errors import BackendUnanswered
from retrieval.telemetry import outgoing_calls

pause_listeners: Final[ContextVar[list[Callable[[float], None]] | None]] = ContextVar("pause_listeners", default=None)
"""The functions that get the seconds of each pause. A connection that is opened within a call keeps the call's context,
so who sets a list empties it afterwards."""

LONGEST_WAIT: Final = 2.0
"""The most seconds to wait."""
SEARCH_WAITS: Final = (0.0, 0.4)
"""The seconds before each repetition of a call."""
TEMPORARY: Final = frozenset({500, 503, 504})
"""The statuses of Azure AI Search after which a search is repeated even without a `Retry-After` header."""
LONGEST_RETRY_AFTER: Final = 86_400.0

Outcome = TypeVar("Outcome")


async def patiently(
    call: Callable[[], Awaitable[Outcome]],
    *,
    wait_of: Callable[[Outcome], float | None],
    waits: Sequence[float],
    system: str,
) -> Outcome:
    """The final outcome of a call. The call is repeated at most once for each of the `waits`, which are in seconds. If
    the service asks for a longer wait, up to LONGEST_WAIT, that wait is used.

    `wait_of` returns the seconds that the service asks to wait, or None if the outcome is final. After
    BackendUnanswered, the call is repeated once if `may_pass` of the error is true. Raises the errors of `call`.
    """
    silent = False
    for wait in waits:
        try:
            outcome = await call()
        except BackendUnanswered as error:
            if silent or not error.may_pass:
                raise
            silent = True
        else:
            least = wait_of(outcome)
            if least is None or (wait := max(wait, least)) > LONGEST_WAIT:
                return outcome
        outgoing_calls.retried(system)
        for hear in pause_listeners.get() or ():
            hear(wait)
        await asyncio.sleep(wait)
    outcome = await call()
    wait_of(outcome)
    return outcome


def retry_after(text: str, *, unit: float = 1.0) -> float | None:
    """The wait of a `Retry-After` header in seconds, at most a day; None if the header has other characters than
    digits. `unit` is the header's unit in seconds."""
    return min(float(text) * unit, LONGEST_RETRY_AFTER) if text.isascii() and text.isdigit() else None
