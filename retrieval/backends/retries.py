"""Repeats a call soon or not at all, since a caller waits for it, and reads how long a service asks to wait.

Four places say which failures are repeated: `_wait` of azure_search/client.py and of model_studio/index.py, and `send`
of mcp_server/exchange.py, by `patiently`; and `_reply` of call/model_calls.py, which asks a throttled model once more.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from retrieval import pauses, telemetry
from retrieval.errors import BackendUnanswered

LONGEST_WAIT: Final = 2.0
"""The most seconds to wait. If a service asks for a longer wait, its answer is final."""
LONGEST_RETRY_AFTER: Final = 86_400.0

Outcome = TypeVar("Outcome")


async def patiently(
    call: Callable[[], Awaitable[Outcome]],
    *,
    wait_of: Callable[[Outcome], float | None],
    waits: Sequence[float],
    system: str,
) -> Outcome:
    """The outcome of a call that is repeated after the seconds of `waits`, or after a longer wait that the service asks
    for.

    `wait_of` gives the seconds that the service asks to wait, None where the outcome is final. A call without any
    answer is repeated once. Raises what `call` does.
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
        telemetry.retried(system)
        pauses.tell(wait)
        await asyncio.sleep(wait)
    outcome = await call()
    wait_of(outcome)
    return outcome


def retry_after(text: str, *, unit: float = 1.0) -> float | None:
    """The seconds of a `Retry-After` in units of `unit` seconds, at most a day; None where it is not a number."""
    return min(float(text) * unit, LONGEST_RETRY_AFTER) if text.isascii() and text.isdigit() else None
