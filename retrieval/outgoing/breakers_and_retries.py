"""Guards the calls to other services: connections, circuit breakers, and retries with their pauses. A hanging search or
model does not take connections or time from other targets.

Each target has its own limit of connections. R is the most requests in flight (MAX_CONCURRENT_REQUESTS). A request
usually runs at most five sub-queries in an index and two model calls at once. So an index gets 5 R connections and a
model gets 2 R. If all requests are within these numbers, none waits for a connection. A request with ten intents or
several MCP servers may need more.

Each target has a circuit breaker, so that callers do not wait for a target that does not answer. The breaker counts
silences. A silence is a call that ends with BackendTimeout, or that is cancelled after at least SILENT_SECONDS. A
silence of a slow target is a connection that is refused, or closed without an answer; its timeouts say nothing. A
success or any other BackendError resets the count. After SILENCES silences in a row, the target is not called for
PAUSE_SECONDS. Then one trial call is made. If it is a silence, a new pause starts. A success or any other BackendError
ends the suspension.

`patiently` repeats a failed call after a short wait. A call is not repeated if the service asks for a wait of more than
LONGEST_WAIT, because a caller is waiting. The pauses before a call is repeated do not count as search time. `patiently`
decides which calls without an answer are repeated. Its callers decide about other failures: `_wait` in
search_index/index.py, `_wait` in model_studio/search.py, and `send` in mcp_server/search/exchange.py. `send` also
excludes calls that the MCP server may have received and that must not run twice. `_reply` in call/model_calls.py
calls a throttled model once more.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

from retrieval.errors import BackendError, BackendSuspended, BackendTimeout, BackendUnanswered
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.model.search import Page, Subquery
from retrieval.ports import ChatModel, Hear, SearchIndex
from retrieval.telemetry import names, outgoing_calls, spans

SILENCES: Final = 5
"""The target is suspended after this number of unanswered calls in a row."""

SILENT_SECONDS: Final = 3.0
"""A cancelled call counts as unanswered if it lasted at least this time."""

PAUSE_SECONDS: Final = 15.0

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

logger = logging.getLogger(__name__)


class Breaker:
    """The circuit breaker of one target. `name` is used in messages. A `slow` target may take any time."""

    def __init__(self, name: str, *, slow: bool = False) -> None:
        self._name = name
        self._slow = slow
        self._silences = 0
        self._paused_until: float | None = None
        self._trying = False

    @contextmanager
    def call(self) -> Iterator[None]:
        """Wraps one call to the target. During a pause or a running trial call, raises BackendSuspended and does not
        run the block."""
        start, is_trial = asyncio.get_running_loop().time(), self._is_trial()
        try:
            yield
        except BaseException as error:
            if self._is_silence(error, asyncio.get_running_loop().time() - start):
                self._note_silence()
            elif isinstance(error, BackendError) and not isinstance(error, BackendTimeout):
                self._note_answer()
            raise
        else:
            self._note_answer()
        finally:
            if is_trial:
                self._trying = False

    def _is_silence(self, error: BaseException, seconds: float) -> bool:
        if self._slow:
            return isinstance(error, BackendUnanswered) and error.may_pass
        is_cut = isinstance(error, asyncio.CancelledError) and seconds >= SILENT_SECONDS
        return is_cut or isinstance(error, BackendTimeout)

    def _is_trial(self) -> bool:
        """Whether this call is the trial call after a pause. Raises BackendSuspended during a pause, and while another
        trial call is running."""
        if self._paused_until is None:
            return False
        seconds_left = self._paused_until - asyncio.get_running_loop().time()
        if seconds_left > 0 or self._trying:
            raise BackendSuspended(self._name, times=self._silences, seconds=max(seconds_left, 0))
        self._trying = True
        return True

    def _note_answer(self) -> None:
        if self._paused_until is not None:
            logger.warning("%s answers again.", self._name)
            spans.count(names.BREAKER, {names.TARGET: self._name, names.CHANGE: "closed"})
        self._silences, self._paused_until = 0, None

    def _note_silence(self) -> None:
        """Counts a silence. A silence during a pause, from an earlier call, does not extend the pause."""
        self._silences += 1
        now = asyncio.get_running_loop().time()
        if self._silences >= SILENCES and (self._paused_until is None or self._paused_until <= now):
            self._paused_until = now + PAUSE_SECONDS
            logger.warning(
                "%s is not called for %.0f s: it did not answer %d times.", self._name, PAUSE_SECONDS, self._silences
            )
            spans.count(names.BREAKER, {names.TARGET: self._name, names.CHANGE: "opened"})


MODEL_CALLS_AT_ONCE: Final = 2


class GuardedIndex:
    """A SearchIndex with a connection limit and a circuit breaker for each target, by index name. The wait for a
    connection counts towards the deadline of the call."""

    def __init__(self, index: SearchIndex, *, requests: int) -> None:
        self._index = index
        self._most = requests * MOST_SUBQUERIES
        self._guards: dict[str, tuple[asyncio.Semaphore, Breaker]] = {}

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendSuspended while the target is suspended, BackendError, and UnsupportedFilter."""
        name = subquery.target.index
        if name not in self._guards:
            self._guards[name] = asyncio.Semaphore(self._most), Breaker(f"The search in {name!r}")
        connections, breaker = self._guards[name]
        async with connections:
            with breaker.call():
                return await self._index.search(subquery)


class GuardedModel:
    """A ChatModel with a connection limit and a circuit breaker. A `slow` model may take any time."""

    def __init__(self, model: ChatModel, *, requests: int, slow: bool = False) -> None:
        self._model = model
        self._connections = asyncio.Semaphore(requests * MODEL_CALLS_AT_ONCE)
        self._breaker = Breaker("The chat model", slow=slow)

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendSuspended while the model is suspended, and BackendError."""
        async with self._connections:
            with self._breaker.call():
                return await self._model.complete(prompt, hear=hear)


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
