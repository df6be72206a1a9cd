"""Calls a chat server on a developer's machine, with the client of `chat_completions`. The reply is the part of the
model's text without the thinking before it, and what stands around it.

Every call is streamed, and ends when the caller's deadline cancels it, which ends the server's generation too.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ValidationError

from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMisconfigured,
    BackendRefused,
    BackendUnavailable,
)
from retrieval.model.conversation import Prompt, Reply
from retrieval.models import chat_server
from retrieval.models.chat_completions import (
    COMPLETIONS,
    MODELS,
    AzureOpenAIModel,
    throttled,
)
from retrieval.models.chat_server import (
    CONTEXT_REMEDY,
    LEAST_REPLY,
    NEXT_FORM,
    REMEDIES,
    ChatServer,
    Dialect,
    Refusal,
    adapted,
    is_full,
    other_form,
)
from retrieval.models.completion import SERVICE, ReplyFailed, read_response
from retrieval.ports import Hear
from retrieval.telemetry import names, outgoing_calls, spans
from retrieval.text.length import prompt_tokens, tokens

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

THOUGHT: Final = "</think>"
"""The end of the thinking. Its beginning, `<think>`, is missing where a template writes it."""
_REPLY: Final = re.compile(re.escape(THOUGHT) + r"\s*+(?=[{`])")


def after_thought(text: str) -> str:
    """The text after the thinking. A reply that begins with a brace is the text itself, whatever its strings hold."""
    text = text.strip()
    begun = None if text.startswith("{") else _REPLY.search(text)
    return text if begun is None else text[begun.end() :]


class VisibleText:
    """Passes the pieces of a growing text on to `hear`, from the brace with which the reply begins."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        self._hear = hear
        self._begun = False
        self._held = ""

    def __call__(self, piece: str) -> None:
        if self._begun:
            self._hear(piece)
            return
        text = (self._held + piece).lstrip()
        if not text.startswith("{") and THOUGHT in text:
            text = text.rpartition(THOUGHT)[2].lstrip()
        if text.startswith("{"):
            self._begun = True
            self._hear(text)
            return
        # Of a text that is not the reply, only the end is kept, in which the end of the thinking may begin.
        self._held = text if len(text) < len(THOUGHT) and not text.startswith("<") else "?" + text[1 - len(THOUGHT) :]


CONNECT_SECONDS: Final = 10.0
LOADING_SECONDS: Final = 1.0
"""The pause before a server that loads its model is asked again."""
EMPTY_FROM: Final = 1_500
EMPTY_TOKENS: Final = 16
EMPTY_SHARE: Final = 0.75
"""An empty reply of fewer than EMPTY_TOKENS to a prompt of at least EMPTY_FROM is put down to a context that is too
small, as LM Studio answers there. The context is taken to be this share of the prompt."""

ESTIMATED: Final = "The server counted no tokens, so they are estimated."
KEY_HINT: Final = "Set CHAT_API_KEY to a key that the server of CHAT_URL accepts."
ADDRESS_HINT: Final = "Correct CHAT_URL, which usually ends in /v1."


class _Listed(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Listed]


class LocalChatModel(AzureOpenAIModel):
    """The model of CHAT_URL. Without a key, no credential is sent."""

    connect_seconds = CONNECT_SECONDS
    patient = True

    def __init__(self, server: ChatServer) -> None:
        super().__init__(server.model, token="none")
        self._server = server
        self._address = self._endpoint + COMPLETIONS
        self._credential = {} if server.model.api_key is None else None

    @property
    def differences(self) -> Sequence[tuple[str, str]]:
        """What the server does not take, each with its remedy."""
        dialect = self._server.dialect
        return [REMEDIES[name] for name in (dialect.form, *sorted(dialect.without)) if name in REMEDIES]

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendError. A prompt that is repeated after a refusal keeps within the context that it stated."""
        headers = spans.outgoing()
        try:
            return await self._send(lambda client: self._ask(client, prompt, headers, hear))
        except BackendMisconfigured as error:
            room = self._server.room(prompt_tokens(prompt))
            most = prompt.most_tokens
            if error.lack != "context" or error.status == 200 or most is None or not LEAST_REPLY <= room < most:
                raise
            shorter = replace(prompt, most_tokens=int(room))
        return await self._send(lambda client: self._ask(client, shorter, headers, hear))

    async def reach(self) -> None:
        """Raises BackendMisconfigured where the server does not list the model, and BackendError."""
        content = await self._send(
            lambda client: client.get(self._endpoint + MODELS, cast_to=bytes, options=self._options({}))
        )
        try:
            listed = [model.id for model in _Models.model_validate_json(content).data]
        except ValidationError:
            return
        name = self._deployment.deployment
        if name not in listed and f"{name}:latest" not in listed:  # Ollama's name of a model without a tag
            raise self._no_model("It lists " + (", ".join(listed[:5]) or "none") + ".", status=None)

    async def _ask(self, client: "AsyncOpenAI", prompt: Prompt, headers: Mapping[str, str], hear: Hear | None) -> Reply:
        """The reply, asked for with less each time that the server refuses a member."""
        from openai import APIStatusError

        dialect = self._server.dialect
        while True:
            try:
                response = await self._post(
                    client, chat_server.body(self._deployment.deployment, prompt, dialect), headers
                )
                reply = await read_response(response, None if hear is None else VisibleText(hear), prompt.longest)
            except APIStatusError as error:
                dialect = await self._after(dialect, refusal_of(error), error)
            except ReplyFailed as error:
                refused = chat_server.refusal(200, error.error)
                if refused.about == "context" or (other := other_form(dialect, refused)) is None:
                    raise self._failure(refused) from None
                dialect = other
            else:
                self._server.learn(dialect)
                return self._checked(prompt, dialect, reply)

    async def _after(self, dialect: Dialect, refused: Refusal, error: "APIStatusError") -> Dialect:
        """The dialect for the next request. Raises the error where the refusal is not about a member."""
        if refused.about == "loading":
            await asyncio.sleep(LOADING_SECONDS)
            return dialect
        if refused.about is not None or (simpler := adapted(dialect, refused)) is None:
            raise error
        outgoing_calls.retried(names.AZURE_OPENAI)
        return simpler

    def _checked(self, prompt: Prompt, dialect: Dialect, reply: Reply) -> Reply:
        """The reply as it is to be read. Raises BackendMisconfigured where the server did not read the whole
        prompt."""
        size = prompt_tokens(prompt)
        context = chat_server.cut_at(size, reply.input_tokens)
        if context is not None:
            self._server.learn_context(context)
            raise self._too_small(f"It read {reply.input_tokens} tokens of about {size}.", status=200)
        if not reply.text.strip() and reply.output_tokens < EMPTY_TOKENS and size >= EMPTY_FROM:
            self._server.learn_context(round(EMPTY_SHARE * max(reply.input_tokens, size)))
            raise self._too_small("It replied with nothing.", status=200)
        self._server.learn_size(size, reply.input_tokens)
        text = after_thought(reply.text)
        is_prose = bool(text) and reply.ended_by is None and not text.startswith("{")
        if is_prose and dialect.form in NEXT_FORM:
            self._server.learn(replace(dialect, form=NEXT_FORM[dialect.form]))
        first, last = text.find("{"), text.rfind("}")  # without the fence or the prose around it
        return self._within(prompt, replace(reply, text=text[first : last + 1] if 0 <= first < last else text))

    def _within(self, prompt: Prompt, reply: Reply) -> Reply:
        """The reply with its tokens, and with the end that they show."""
        most, counted = prompt.most_tokens, reply.input_tokens + reply.output_tokens
        if not counted:
            size = prompt_tokens(prompt)
            return replace(reply, input_tokens=size, output_tokens=tokens(reply.text), notes=(ESTIMATED,))
        if reply.ended_by == "length" and most is not None and reply.output_tokens < most and is_full(counted):
            self._server.learn_context(counted)
        if reply.ended_by is None and most is not None and reply.output_tokens >= most:
            return replace(reply, ended_by="length")
        return reply

    def _refused(self, error: "APIStatusError") -> BackendError:
        return throttled(error) if error.status_code == 429 else self._failure(refusal_of(error))

    def _failure(self, refused: Refusal) -> BackendError:
        """The error of a refusal, with the server's own words."""
        status, words = refused.status, f"It says: {refused.shown}"
        if refused.about == "context":
            self._server.learn_context(refused.context or 0)
            return self._too_small(words, status=status)
        if status in {401, 403}:
            return BackendForbidden(SERVICE, status=status, hint=f"{KEY_HINT} {words}")
        if refused.about == "model":
            return self._no_model(words, status=status)
        if status == 404:
            return BackendMisconfigured(SERVICE, status=status, lack="address", hint=f"{ADDRESS_HINT} {words}")
        if 400 <= status < 500:
            return BackendRefused(SERVICE, status=status, message=refused.shown)
        return BackendUnavailable(SERVICE, f"failed ({status}). {words}", status=status)

    def _too_small(self, words: str, *, status: int) -> BackendMisconfigured:
        return BackendMisconfigured(SERVICE, status=status, lack="context", hint=f"{words} {CONTEXT_REMEDY}")

    def _no_model(self, words: str, *, status: int | None) -> BackendMisconfigured:
        name = self._deployment.deployment
        hint = f"Load {name!r} there (Ollama: `ollama pull {name}`), or correct CHAT_MODEL. {words}"
        return BackendMisconfigured(SERVICE, status=status, lack="deployment", hint=hint)


def refusal_of(error: "APIStatusError") -> Refusal:
    """The refusal in an error of the `openai` package, which has the value of `error` in a body of JSON."""
    return chat_server.refusal(error.status_code, error.body or error.response.text)
