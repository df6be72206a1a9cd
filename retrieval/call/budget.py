"""A running call: its request, its budget of time and tokens with the share of each step, and the record of each
step."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import count
from typing import Final, TypeAlias, TypeVar

from retrieval.call.ports import Ports, Waits
from retrieval.model.activity import AnswerActivity, Begun, Limit, Skipped, Step, StepActivity
from retrieval.model.conversation import LONGEST_REPLY
from retrieval.model.progress import Progress
from retrieval.model.retrieval import USUAL_TOKENS, RetrievalRequest
from retrieval.ports import Observer, Tell
from retrieval.telemetry.spans import observed

REPLY_TOKENS: Final = {"route": 1_000, "plan": 2_000, "judge": 6_000, "answer": LONGEST_REPLY}
"""The most tokens of a reply, thinking included, before `scale` is applied. They are reserved while the reply is
awaited. Then only the used tokens are deducted."""

SMALLEST: Final = 0.1
"""The least scale of the usual token limits. If a call has fewer tokens than usual, every limit shrinks, but not below
a tenth."""

Value = TypeVar("Value")
Record = TypeVar("Record", bound=AnswerActivity)


SCHEMA_SECONDS: Final = 2.0
"""The most seconds that a plan waits for the fields and facets of indexes. The first plan of an answer may wait longer
for fields."""

RULES_SECONDS: Final = 0.1
"""The seconds reserved for the steps after the last model call."""

OPENING_SHARE: Final = 0.3
"""The share of an answer's runtime in which its route and plan must be made. A second plan gets this share of the
remaining time."""

SEARCHING_SHARE: Final = 0.6
"""The share of an answer's runtime in which the first round of searches must end, if the call has a model."""

PLANNING_SHARE: Final = 0.4
"""The plan's share of the time that a retrieval has for its plan and its searches."""

WRITING_SHARE: Final = 0.4
"""The share of a retrieval's runtime for a model that writes an answer from the documents."""

ARGUMENTS_SHARE: Final = 0.4
"""The share of the remaining time that a model may take to write the arguments of tools."""

FOLLOW_UP_SHARE: Final = 0.25
"""A follow-up begins only while at least this share of the runtime is left."""


Since: TypeAlias = tuple[datetime, float]
"""The time at which work began, as a date and as a time of the event loop."""


class Run:
    """A running call: its request, its ports, the rest of its budget, and the record of every step. Times are those of
    the event loop. The time of the call counts from `start`; None means now. `observers` get every step that is not
    skipped, and `tell` gets every record. `ids` gives the ids of searches and of model calls. `tokens_left` are
    the tokens that no model call has used or reserved.

    `activity` has the records in the order in which steps ended; `ended_by` names limits that ended or prevented a
    step. `scale`, 0.1 to 1, is the factor for the usual token limits in a small budget.
    """

    def __init__(
        self,
        request: RetrievalRequest,
        ports: Ports,
        *,
        start: float | None = None,
        observers: Sequence[Observer] = (),
        tell: Tell | None = None,
    ) -> None:
        self.request: Final = _prepared(request, ports)
        self.ports: Final = ports
        self.waits: Final = Waits(ports.pace)
        self.ids: Final = count()
        self.observers: Final = observers
        self.start: Final = asyncio.get_running_loop().time() if start is None else start
        self.deadline: Final = self.start + request.limits.runtime
        self.activity: Final[list[AnswerActivity]] = []
        self.ended_by: Final[set[Limit]] = set()
        self.tell: Final = tell
        self.tokens_left = math.inf if request.limits.tokens is None else request.limits.tokens
        self.scale: Final = max(min(self.tokens_left / USUAL_TOKENS, 1.0), SMALLEST)

    @property
    def today(self) -> date:
        """The date of the call."""
        return self.ports.clock().date()

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline of the whole call."""
        return self.deadline - asyncio.get_running_loop().time()

    def has_time(self, *, until: float) -> bool:
        """Whether there is time for a follow-up before `until`, a time of the event loop."""
        return until - asyncio.get_running_loop().time() >= FOLLOW_UP_SHARE * self.request.limits.runtime

    def most_tokens(self, step: Step) -> int:
        """The most tokens of a reply for this step."""
        return round(REPLY_TOKENS[step] * self.scale)

    def at(self, time: float) -> int:
        """Milliseconds from the start of the call to a time of the event loop."""
        return round((time - self.start) * 1000)

    def by_rules(
        self, step: Step, work: Callable[[], Value], *, count: Callable[[Value], int | None] = lambda value: None
    ) -> tuple[Value, StepActivity]:
        """The value of a step without a model, and its record."""
        record = self.begun(step)
        with observed(self.observers, Begun(kind=step)) as ended:
            value = work()
            ended.by, ended.count = "rules", count(value)
        return value, self.keep(replace(record, elapsed_ms=self.now_ms() - record.started_ms))

    def skip(self, step: Step, why: Skipped, *, notes: tuple[str, ...] = ()) -> StepActivity:
        """The record of a model call that is not made, because it would be useless, or because time or tokens are
        short."""
        if why != "not needed":
            self.ended_by.add(why)
        return self.keep(replace(self.begun(step), skipped=why, notes=notes))

    def begun(self, step: Step) -> StepActivity:
        """The record of a step of the rules that begins now."""
        started_at = self.ports.clock()
        return StepActivity(step=step, by="rules", started_ms=self.now_ms(), started_at=started_at, elapsed_ms=0)

    def now_ms(self) -> int:
        """Milliseconds from the start of the call to now."""
        return self.at(asyncio.get_running_loop().time())

    def keep(self, record: Record) -> Record:
        """Keep the record, and send it to `tell`."""
        self.activity.append(record)
        self.report(record)
        return record

    def report(self, progress: Progress) -> None:
        """Send the progress to `tell`."""
        if self.tell is not None:
            self.tell(progress)


def _prepared(request: RetrievalRequest, ports: Ports) -> RetrievalRequest:
    """The request with its effort, which is always `medium` for an answer. For an answer, and where a model may judge
    or write, the searches read the dates and facet values of documents."""
    request = replace(request, effort="medium" if request.output == "answer" else request.asked_effort)
    may_judge = request.effort in ("medium", "auto") and not request.queries
    if request.output == "answer" or (ports.model is not None and (may_judge or request.output == "synthesis")):
        request = replace(request, targets=tuple(replace(target, dated=True) for target in request.targets))
    return request
