"""The model calls of one call, and what observers are told when an activity begins and when it ends. Each model call is
limited by the remaining time and tokens, and each is recorded. A model call that fails raises no exception.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import count
from typing import Final, Generic, TypeVar

from retrieval import threads
from retrieval.errors import BackendError, BackendThrottled, BackendTimeout, BadModelReply
from retrieval.model.activity import (
    AnswerActivity,
    Begun,
    By,
    Ended,
    Kind,
    Limit,
    SearchActivity,
    Skipped,
    Step,
    StepActivity,
)
from retrieval.model.answer import Progress, StepBegun
from retrieval.model.definitions import ModelDeployment
from retrieval.model.prompt import LONGEST_REPLY, Prompt, Reply
from retrieval.model.retrieval import USUAL_TOKENS
from retrieval.model.search import Subquery
from retrieval.ports import ChatModel, Clock, Hear, ModelServer, Observer, Tell
from retrieval.telemetry import names, outgoing_calls
from retrieval.telemetry.spans import Steps
from retrieval.text.tokens import prompt_tokens, tokens


class Doing:
    """The facts about an activity when it ends. See `Ended`."""

    by: By | None = None
    count: int | None = None
    record: StepActivity | SearchActivity | None = None
    error: BaseException | None = None


@contextmanager
def observed(
    observers: Sequence[Observer],
    kind: Kind,
    *,
    id: int | None = None,
    round: int = 0,
    queries: int = 0,
    subquery: Subquery | None = None,
) -> Iterator[Doing]:
    """Tells the observers when the work in the block begins and ends. An exception that leaves the block is recorded as
    the error."""
    doing = Doing()
    if not observers:
        yield doing
        return
    begun = Begun(kind=kind, id=id, round=round, queries=queries, subquery=subquery)
    for observer in observers:
        observer.begun(begun)
    try:
        yield doing
    except BaseException as error:
        doing.error = error
        raise
    finally:
        ended = Ended(begun=begun, by=doing.by, count=doing.count, record=doing.record, error=doing.error)
        for observer in reversed(observers):
            observer.ended(ended)


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


class ModelCalls:
    """The budget of a call, and the record of every step. Times are those of the event loop. The time of the call
    counts from `start`; None means now. `observers` get every step that is not skipped, and `tell` gets every record.
    `of_searches` are the observers without telemetry, since searches have their own spans. `deployment` names the model
    in the records; `ids` gives the ids of searches and of model calls.

    `activity` has the records in the order in which steps ended; `ended_by` names limits that ended or prevented a
    step. `scale`, 0.1 to 1, is the factor for the usual token limits in a small budget. Without `tokens` there is no
    limit on tokens. `server` is the server of a model on a developer's machine, which replaces the model `replaced`.
    """

    def __init__(
        self,
        model: ChatModel | None,
        *,
        clock: Clock,
        deployment: ModelDeployment | None = None,
        runtime: float,
        tokens: int | None = None,
        start: float | None = None,
        observers: Sequence[Observer] = (),
        tell: Tell | None = None,
        server: ModelServer | None = None,
        replaced: ModelDeployment | None = None,
    ) -> None:
        self.model: Final = model
        self.ids: Final = count()
        self._clock: Final = clock
        self._deployment: Final = deployment
        self.observers: Final = (Steps(), *observers)
        self.of_searches: Final = tuple(observers)
        self.start: Final = asyncio.get_running_loop().time() if start is None else start
        self.deadline: Final = self.start + runtime
        self.activity: Final[list[AnswerActivity]] = []
        self.ended_by: Final[set[Limit]] = set()
        self.scale: Final = 1.0 if tokens is None else max(min(tokens / USUAL_TOKENS, 1.0), SMALLEST)
        self.tell: Final = tell
        self._server: Final = server
        self._replaced: Final = replaced
        self._limited: Final = tokens is not None
        self._tokens_left = math.inf if tokens is None else tokens

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline of the whole call."""
        return self.deadline - asyncio.get_running_loop().time()

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
        start, started_at = asyncio.get_running_loop().time(), self._clock()
        with observed(self.observers, step) as doing:
            value = work()
            doing.by, doing.count = "rules", count(value)
        record = StepActivity(
            step=step, by="rules", started_ms=self.at(start), started_at=started_at, elapsed_ms=self._since(start)
        )
        return value, self.keep(record)

    def skip(self, step: Step, why: Skipped, *, notes: tuple[str, ...] = ()) -> StepActivity:
        """The record of a model call that is not made, because it would be useless, or because time or tokens are
        short."""
        if why != "not needed":
            self.ended_by.add(why)
        return self.keep(
            StepActivity(
                step=step,
                by="rules",
                started_ms=self.at(asyncio.get_running_loop().time()),
                started_at=self._clock(),
                elapsed_ms=0,
                skipped=why,
                notes=notes,
            )
        )

    def _since(self, start: float) -> int:
        return self.at(asyncio.get_running_loop().time()) - self.at(start)

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
        if self.model is None or not self.affords(question):
            skipped = self.skip(question.step, "tokens")
            return StepResult(value=otherwise(), record=skipped)
        if self._server is None:
            prompt = replace(question.prompt, most_tokens=self._most(question)) if self._limited else question.prompt
            return await self._ask(self.model, replace(question, prompt=prompt), until=until, otherwise=otherwise)
        async with AsyncExitStack() as stack:
            share = await self._share(self._server, stack, until=until)
            if share is None:
                return StepResult(value=otherwise(), record=self.skip(question.step, "runtime"))
            fitting, notes = self._fitting(self._server, question)
            until = self.deadline - self.seconds_left * (1 - share)
            self.report(StepBegun(step=question.step, started_ms=self.at(asyncio.get_running_loop().time())))
            return await self._ask(self.model, fitting, until=until, otherwise=otherwise, notes=notes)

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
        notes, most = list[str](), self._most(question)
        if self._replaced is not None and self._deployment is not None:
            notes.append(REPLACED.format(model=self._deployment.deployment, deployment=self._replaced.deployment))
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
        most = self._most(question)
        self._tokens_left -= question.input_tokens + most
        asking = _Asking(
            id=next(self.ids), start=asyncio.get_running_loop().time(), started_at=self._clock(), notes=notes
        )
        seconds = max(min(until, self.deadline) - asking.start, 0)
        value: Value | None = None
        with observed(self.observers, question.step, id=asking.id) as doing:
            try:
                async with asyncio.timeout(seconds):
                    hear = asking.hearing(question.hear) if question.is_kept else question.hear
                    asking.reply = await _reply(model, question.prompt, hear, until=asking.start + seconds)
                text = asking.reply.whole()
                value = await threads.work(READING * len(text), partial(question.read, text))
            except TimeoutError:
                self.ended_by.add("runtime")
                asking.error = BackendTimeout(SERVICE, seconds=seconds)
            except (BackendError, BadModelReply) as error:
                asking.error = error
            finally:
                estimate = question.input_tokens + tokens(asking.reply.text)
                count = asking.reply.input_tokens + asking.reply.output_tokens
                self._tokens_left += question.input_tokens + most - max(count, estimate)
                doing.record = record = self._asked_record(question, asking, value)
            result = otherwise() if value is None else value
            doing.by, doing.error = "model" if asking.error is None else "rules", asking.error
            doing.count = None if result is None else question.count(result)
        part = "" if value is not None else "".join(asking.pieces) or asking.reply.text
        return StepResult(value=result, record=record, part=part)

    def _most(self, question: Question[Value]) -> int:
        return round(REPLY_TOKENS[question.step] * self.scale)

    def _asked_record(self, question: Question[Value], asking: "_Asking", value: Value | None) -> StepActivity:
        return self.keep(
            StepActivity(
                id=asking.id,
                step=question.step,
                by="rules" if value is None else "model",
                prompt=question.prompt.name,
                question=question.prompt,
                model=self._deployment,
                started_ms=self.at(asking.start),
                started_at=asking.started_at,
                elapsed_ms=self._since(asking.start),
                input_tokens=asking.reply.input_tokens,
                output_tokens=asking.reply.output_tokens,
                error=asking.error,
                skipped="not needed" if value is None and asking.error is None else None,
                notes=() if value is None else question.notes(value),
                server_notes=(*asking.notes, *asking.reply.notes),
            )
        )


@dataclass(slots=True, kw_only=True)
class _Asking:
    """A model call under way: its start, and its reply or error."""

    id: int
    start: float
    started_at: datetime
    notes: tuple[str, ...] = ()
    reply: Reply = NO_REPLY
    error: BackendError | BadModelReply | None = None
    pieces: list[str] = field(default_factory=list)

    def hearing(self, hear: Hear | None) -> Hear:
        """Keeps each piece of the reply before `hear` gets it."""

        def keep(piece: str) -> None:
            self.pieces.append(piece)
            if hear is not None:
                hear(piece)

        return keep


async def _reply(model: ChatModel, prompt: Prompt, hear: Hear | None, *, until: float) -> Reply:
    """The model's reply. Raises BackendError.

    A throttled model is asked once more, if its pause is at most half the time left until `until`.
    """
    try:
        return await model.complete(prompt, hear=hear)
    except BackendThrottled as error:
        pause = PAUSE_SECONDS if error.retry_after is None else error.retry_after
        if 2 * pause > until - asyncio.get_running_loop().time():
            raise
    await asyncio.sleep(pause)
    outgoing_calls.retried(names.AZURE_OPENAI)
    return await model.complete(prompt, hear=hear)
