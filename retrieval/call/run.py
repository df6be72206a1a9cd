"""A running call: its request, its budget of time and tokens, and its model calls. Each model call is limited by the
remaining time and tokens, and each is recorded. A model call that fails raises no exception."""

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from itertools import count
from typing import Final, Generic, TypeAlias, TypeVar

from retrieval import threads
from retrieval.call.ports import Ports, Waits
from retrieval.errors import BackendError, BackendThrottled, BackendTimeout, BadModelReply
from retrieval.model.activity import AnswerActivity, Begun, Limit, Skipped, Step, StepActivity
from retrieval.model.answer import Progress, StepBegun
from retrieval.model.conversation import LONGEST_REPLY, Prompt, Reply
from retrieval.model.retrieval import USUAL_TOKENS, RetrievalRequest
from retrieval.ports import ChatModel, Hear, ModelServer, Observer, Tell
from retrieval.telemetry import names, outgoing_calls
from retrieval.telemetry.spans import observed
from retrieval.text.length import prompt_tokens, tokens

SERVICE: Final = "The chat model"
REPLY_TOKENS: Final = {"route": 1_000, "plan": 2_000, "judge": 6_000, "answer": LONGEST_REPLY}
"""The most tokens of a reply, thinking included, before `scale` is applied. They are reserved while the reply is
awaited. Then only the used tokens are deducted."""

READING: Final = 250
"""Reading and checking one character of a reply takes as much CPU time as reading this many characters of a document.
"""

PAUSE_SECONDS: Final = 1.0
"""The pause before a throttled model is asked again, if it states no pause."""

SMALLEST: Final = 0.1
"""The least scale of the usual token limits. If a call has fewer tokens than usual, every limit shrinks, but not below
a tenth."""

ENOUGH: Final = 768
"""A prompt for a server with a small context leaves at least so many tokens for its reply, if it can be shortened."""

WAITING: Final = 1.5
"""A step waits for its turn at most this many times its share of the time that is left, and not for all of it where
others come after it: what it does not get is done by rules, for which time is left then."""

LAST_SECONDS: Final = 0.1
"""A call is not sent in the last seconds of a request."""

REPLACED: Final = "{model} answered, which CHAT_URL has, in place of the definition's {deployment}."

NO_REPLY: Final = Reply(text="", input_tokens=0, output_tokens=0)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[Value]):
    """The question of a step to a model. `read` reads the reply, or raises BadModelReply. `notes` gives notes about
    parts of the reply that were left out. `count` gives the number of results for observers; see `Ended`. `hear` gets
    the reply while it is written. `shorter` gives shorter questions for a server with a small context, each with a note
    of what it leaves out. With `is_kept` the reply is streamed, and what was read of a reply without a value is kept.
    """

    step: Step
    prompt: Prompt
    read: Callable[[str], Value]
    notes: Callable[[Value], tuple[str, ...]] = lambda value: ()
    count: Callable[[Value], int | None] = lambda value: None
    hear: Hear | None = None
    is_kept: bool = False
    shorter: Callable[[], "Iterator[tuple[str, Question[Value]]]"] = lambda: iter(())

    @property
    def input_tokens(self) -> int:
        """An estimate of the tokens of the prompt's texts: a fourth of their UTF-8 bytes."""
        return prompt_tokens(self.prompt)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult(Generic[Value]):
    """The value of a step, None where it has none, and the record of the step. `part` is the text of a reply that broke
    off or could not be read, if the question wants it."""

    value: Value | None
    record: StepActivity
    part: str = ""


Since: TypeAlias = tuple[datetime, float]
"""The time at which work began, as a date and as a time of the event loop."""


class Run:
    """A running call: its request, its ports, the rest of its budget, and the record of every step. Times are those of
    the event loop. The time of the call counts from `start`; None means now. `observers` get every step that is not
    skipped, and `tell` gets every record. `ids` gives the ids of searches and of model calls.

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
        self._tokens_left = math.inf if request.limits.tokens is None else request.limits.tokens
        self.scale: Final = max(min(self._tokens_left / USUAL_TOKENS, 1.0), SMALLEST)

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

    def affords(self, question: Question[Value]) -> bool:
        """Whether the remaining tokens suffice for the question and its longest reply."""
        return question.input_tokens + self._most(question) <= self._tokens_left

    def at(self, time: float) -> int:
        """Milliseconds from the start of the call to a time of the event loop."""
        return round((time - self.start) * 1000)

    def by_rules(
        self, step: Step, work: Callable[[], Value], *, count: Callable[[Value], int | None] = lambda value: None
    ) -> tuple[Value, StepActivity]:
        """The value of a step without a model, and its record."""
        record = self._begun(step)
        with observed(self.observers, Begun(kind=step)) as ended:
            value = work()
            ended.by, ended.count = "rules", count(value)
        return value, self.keep(replace(record, elapsed_ms=self._now_ms() - record.started_ms))

    def skip(self, step: Step, why: Skipped, *, notes: tuple[str, ...] = ()) -> StepActivity:
        """The record of a model call that is not made, because it would be useless, or because time or tokens are
        short."""
        if why != "not needed":
            self.ended_by.add(why)
        return self.keep(replace(self._begun(step), skipped=why, notes=notes))

    def _begun(self, step: Step) -> StepActivity:
        """The record of a step of the rules that begins now."""
        started_at = self.ports.clock()
        return StepActivity(step=step, by="rules", started_ms=self._now_ms(), started_at=started_at, elapsed_ms=0)

    def _now_ms(self) -> int:
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

    async def ask(
        self, question: Question[Value], *, until: float, otherwise: Callable[[], Value | None] = lambda: None
    ) -> StepResult[Value]:
        """The value of the model's reply, or else the value of the rules (`otherwise`), and the record of the step.

        `until` is a time of the event loop; the deadline of the whole call applies anyway. A cancelled call is recorded
        too.
        """
        model, server = self.ports.model, self.ports.server
        if model is None or not self.affords(question):
            skipped = self.skip(question.step, "tokens")
            return StepResult(value=otherwise(), record=skipped)
        if server is None:
            is_limited = self._tokens_left < math.inf
            prompt = replace(question.prompt, most_tokens=self._most(question)) if is_limited else question.prompt
            return await self._ask(model, replace(question, prompt=prompt), until=until, otherwise=otherwise)
        async with AsyncExitStack() as stack:
            share = await self._share(server, stack, until=until)
            if share is None:
                return StepResult(value=otherwise(), record=self.skip(question.step, "runtime"))
            fitting, notes = self._fitting(server, question)
            until = self.deadline - self.seconds_left * (1 - share)
            self.report(StepBegun(step=question.step, started_ms=self._now_ms()))
            return await self._ask(model, fitting, until=until, otherwise=otherwise, notes=notes)

    async def _share(self, server: ModelServer, stack: AsyncExitStack, *, until: float) -> float | None:
        """Waits for a turn of the server, which `stack` keeps. Returns the share that the step has of the time that is
        left then: as much as `until` is of the time that is left now. None where the time ended before."""
        share = (until - self.deadline + self.seconds_left) / max(self.seconds_left, LAST_SECONDS)
        try:
            async with asyncio.timeout(max(min(WAITING * share, 1) * self.seconds_left - LAST_SECONDS, 0)):
                await stack.enter_async_context(server.turn())
        except TimeoutError:
            return None
        return min(max(share, 0), 1)

    def _fitting(self, server: ModelServer, question: Question[Value]) -> tuple[Question[Value], tuple[str, ...]]:
        """The question, or the longest shorter one with which the server's context leaves enough tokens for the reply;
        and the notes about it."""
        notes, most, ports = list[str](), self._most(question), self.ports
        if ports.replaced is not None and ports.deployment is not None:
            notes.append(REPLACED.format(model=ports.deployment.deployment, deployment=ports.replaced.deployment))
        note, fitting, shorter = "", question, question.shorter()
        while server.room(fitting.input_tokens) < min(most, ENOUGH) and (next_form := next(shorter, None)) is not None:
            note, fitting = next_form
        room = max(min(server.room(fitting.input_tokens), most), 1)
        prompt = replace(fitting.prompt, most_tokens=round(room))
        return replace(fitting, prompt=prompt, hear=question.hear), tuple(filter(None, (*notes, note)))

    async def _ask(
        self,
        model: ChatModel,
        question: Question[Value],
        *,
        until: float,
        otherwise: Callable[[], Value | None],
        notes: tuple[str, ...] = (),
    ) -> StepResult[Value]:
        size, most = question.input_tokens, self._most(question)
        self._tokens_left -= size + most
        asked = replace(self._begun(question.step), id=next(self.ids), server_notes=notes)
        seconds = max(min(until, self.deadline) - asyncio.get_running_loop().time(), 0)
        value: Value | None = None
        error: BackendError | BadModelReply | None = None
        reply, pieces = NO_REPLY, list[str]()
        with observed(self.observers, Begun(kind=question.step, id=asked.id)) as ended:
            try:
                async with asyncio.timeout(seconds):
                    hear = partial(_keep, pieces, question.hear) if question.is_kept else question.hear
                    reply = await _reply(model, question.prompt, hear, seconds=seconds)
                text = reply.whole()
                value = await threads.work(READING * len(text), partial(question.read, text))
            except TimeoutError:
                self.ended_by.add("runtime")
                error = BackendTimeout(SERVICE, seconds=seconds)
            except (BackendError, BadModelReply) as failure:
                error = failure
            finally:
                estimate = size + tokens(reply.text)
                self._tokens_left += size + most - max(reply.input_tokens + reply.output_tokens, estimate)
                ended.record = record = self._asked_record(question, asked, reply, value, error)
            result = otherwise() if value is None else value
            ended.by, ended.error = "model" if error is None else "rules", error
            ended.count = None if result is None else question.count(result)
        return StepResult(value=result, record=record, part="" if value is not None else "".join(pieces) or reply.text)

    def _most(self, question: Question[Value]) -> int:
        return round(REPLY_TOKENS[question.step] * self.scale)

    def _asked_record(
        self,
        question: Question[Value],
        asked: StepActivity,
        reply: Reply,
        value: Value | None,
        error: BackendError | BadModelReply | None,
    ) -> StepActivity:
        return self.keep(
            replace(
                asked,
                by="rules" if value is None else "model",
                prompt=question.prompt.name,
                question=question.prompt,
                model=self.ports.deployment,
                elapsed_ms=self._now_ms() - asked.started_ms,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                error=error,
                skipped="not needed" if value is None and error is None else None,
                notes=() if value is None else question.notes(value),
                server_notes=(*asked.server_notes, *reply.notes),
            )
        )


def _prepared(request: RetrievalRequest, ports: Ports) -> RetrievalRequest:
    """The request with its effort, which is always `medium` for an answer. For an answer, and where a model may judge
    or write, the searches read the dates and facet values of documents."""
    request = replace(request, effort="medium" if request.output == "answer" else request.asked_effort)
    may_judge = request.effort in ("medium", "auto") and not request.queries
    if request.output == "answer" or (ports.model is not None and (may_judge or request.output == "synthesis")):
        request = replace(request, targets=tuple(replace(target, dated=True) for target in request.targets))
    return request


def _keep(pieces: list[str], hear: Hear | None, piece: str) -> None:
    """Keeps a piece of a reply before `hear` gets it."""
    pieces.append(piece)
    if hear is not None:
        hear(piece)


async def _reply(model: ChatModel, prompt: Prompt, hear: Hear | None, *, seconds: float) -> Reply:
    """The model's reply. Raises BackendError.

    A throttled model is asked once more, if its pause is at most half of what is left of `seconds`.
    """
    until = asyncio.get_running_loop().time() + seconds
    try:
        return await model.complete(prompt, hear=hear)
    except BackendThrottled as error:
        pause = PAUSE_SECONDS if error.retry_after is None else error.retry_after
        if 2 * pause > until - asyncio.get_running_loop().time():
            raise
    await asyncio.sleep(pause)
    outgoing_calls.retried(names.AZURE_OPENAI)
    return await model.complete(prompt, hear=hear)
