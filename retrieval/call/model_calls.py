"""The model calls of a running call. A step puts a question to the model: each call is limited by the remaining time
and tokens, and each is recorded. A throttled model is asked once more. A model call that fails raises no exception."""

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Generic

from retrieval import threads
from retrieval.call.budget import Run, Value
from retrieval.errors import BackendError, BackendThrottled, BackendTimeout, BadModelReply
from retrieval.model.activity import Begun, Step, StepActivity
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.progress import StepBegun
from retrieval.ports import ChatModel, Hear, ModelServer
from retrieval.telemetry import names, outgoing_calls
from retrieval.telemetry.spans import observed
from retrieval.text.length import prompt_tokens, tokens

SERVICE: Final = "The chat model"
READING: Final = 250
"""Reading and checking one character of a reply takes as much CPU time as reading this many characters of a document.
"""

PAUSE_SECONDS: Final = 1.0
"""The pause before a throttled model is asked again, if it states no pause."""

ENOUGH: Final = 768
"""A prompt for a server with a small context leaves at least so many tokens for its reply, if it can be shortened."""

WAITING: Final = 1.5
"""A step waits for its turn at most this many times its share of the time that is left, and not for all of it where
others come after it: what it does not get is done by rules, for which time is left then."""

LAST_SECONDS: Final = 0.1
"""A call is not sent in the last seconds of a request."""

REPLACED: Final = "{model} answered, which CHAT_URL has, in place of the definition's {deployment}."

NO_REPLY: Final = Reply(text="", input_tokens=0, output_tokens=0)


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


def affords(run: Run, question: Question[Value]) -> bool:
    """Whether the remaining tokens of the call suffice for the question and its longest reply."""
    return question.input_tokens + run.most_tokens(question.step) <= run.tokens_left


async def ask(
    run: Run, question: Question[Value], *, until: float, otherwise: Callable[[], Value | None] = lambda: None
) -> StepResult[Value]:
    """The value of the model's reply, or else the value of the rules (`otherwise`), and the record of the step.

    `until` is a time of the event loop; the deadline of the whole call applies anyway. A cancelled call is recorded
    too.
    """
    model, server = run.ports.model, run.ports.server
    if model is None or not affords(run, question):
        skipped = run.skip(question.step, "tokens")
        return StepResult(value=otherwise(), record=skipped)
    if server is None:
        is_limited = run.tokens_left < math.inf
        prompt = replace(question.prompt, most_tokens=run.most_tokens(question.step)) if is_limited else question.prompt
        return await _ask(run, model, replace(question, prompt=prompt), until=until, otherwise=otherwise)
    async with AsyncExitStack() as stack:
        share = await _share(run, server, stack, until=until)
        if share is None:
            return StepResult(value=otherwise(), record=run.skip(question.step, "runtime"))
        fitting, notes = _fitting(run, server, question)
        until = run.deadline - run.seconds_left * (1 - share)
        run.report(StepBegun(step=question.step, started_ms=run.now_ms()))
        return await _ask(run, model, fitting, until=until, otherwise=otherwise, notes=notes)


async def _share(run: Run, server: ModelServer, stack: AsyncExitStack, *, until: float) -> float | None:
    """Waits for a turn of the server, which `stack` keeps. Returns the share that the step has of the time that is
    left then: as much as `until` is of the time that is left now. None where the time ended before."""
    share = (until - run.deadline + run.seconds_left) / max(run.seconds_left, LAST_SECONDS)
    try:
        async with asyncio.timeout(max(min(WAITING * share, 1) * run.seconds_left - LAST_SECONDS, 0)):
            await stack.enter_async_context(server.turn())
    except TimeoutError:
        return None
    return min(max(share, 0), 1)


def _fitting(run: Run, server: ModelServer, question: Question[Value]) -> tuple[Question[Value], tuple[str, ...]]:
    """The question, or the longest shorter one with which the server's context leaves enough tokens for the reply;
    and the notes about it."""
    notes, most, ports = list[str](), run.most_tokens(question.step), run.ports
    if ports.replaced is not None and ports.deployment is not None:
        notes.append(REPLACED.format(model=ports.deployment.deployment, deployment=ports.replaced.deployment))
    note, fitting, shorter = "", question, question.shorter()
    while server.room(fitting.input_tokens) < min(most, ENOUGH) and (next_form := next(shorter, None)) is not None:
        note, fitting = next_form
    room = max(min(server.room(fitting.input_tokens), most), 1)
    prompt = replace(fitting.prompt, most_tokens=round(room))
    return replace(fitting, prompt=prompt, hear=question.hear), tuple(filter(None, (*notes, note)))


async def _ask(
    run: Run,
    model: ChatModel,
    question: Question[Value],
    *,
    until: float,
    otherwise: Callable[[], Value | None],
    notes: tuple[str, ...] = (),
) -> StepResult[Value]:
    size, most = question.input_tokens, run.most_tokens(question.step)
    run.tokens_left -= size + most
    asked = replace(run.begun(question.step), id=next(run.ids), server_notes=notes)
    seconds = max(min(until, run.deadline) - asyncio.get_running_loop().time(), 0)
    value: Value | None = None
    error: BackendError | BadModelReply | None = None
    reply, pieces = NO_REPLY, list[str]()
    with observed(run.observers, Begun(kind=question.step, id=asked.id)) as ended:
        try:
            async with asyncio.timeout(seconds):
                hear = partial(_keep, pieces, question.hear) if question.is_kept else question.hear
                reply = await _reply(model, question.prompt, hear, seconds=seconds)
            text = reply.whole()
            value = await threads.work(READING * len(text), partial(question.read, text))
        except TimeoutError:
            run.ended_by.add("runtime")
            error = BackendTimeout(SERVICE, seconds=seconds)
        except (BackendError, BadModelReply) as failure:
            error = failure
        finally:
            estimate = size + tokens(reply.text)
            run.tokens_left += size + most - max(reply.input_tokens + reply.output_tokens, estimate)
            ended.record = record = _asked_record(run, question, asked, reply, value, error)
        result = otherwise() if value is None else value
        ended.by, ended.error = "model" if error is None else "rules", error
        ended.count = None if result is None else question.count(result)
    return StepResult(value=result, record=record, part="" if value is not None else "".join(pieces) or reply.text)


def _asked_record(
    run: Run,
    question: Question[Value],
    asked: StepActivity,
    reply: Reply,
    value: Value | None,
    error: BackendError | BadModelReply | None,
) -> StepActivity:
    return run.keep(
        replace(
            asked,
            by="rules" if value is None else "model",
            prompt=question.prompt.name,
            question=question.prompt,
            model=run.ports.deployment,
            elapsed_ms=run.now_ms() - asked.started_ms,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            error=error,
            skipped="not needed" if value is None and error is None else None,
            notes=() if value is None else question.notes(value),
            server_notes=(*asked.server_notes, *reply.notes),
        )
    )


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
