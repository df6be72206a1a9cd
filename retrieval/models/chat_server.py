"""A chat server on a developer's machine (CHAT_URL): Ollama, LM Studio, llama.cpp's server, vLLM, or a gateway.

Such servers differ in the members that they take and in the context that they read. Each difference is found once,
from a refusal or from a reply. It is remembered for the process, and logged in one line with its remedy.

Sources: https://docs.ollama.com/openai and https://docs.ollama.com/context-length,
https://lmstudio.ai/docs/developer/openai-compat and issues 189, 546 and 2339 of lmstudio-ai/lmstudio-bug-tracker,
issue 17889 of ollama/ollama, ggml-org/llama.cpp pull request 15780, and vLLM's OpenAI-compatible server.
"""

import asyncio
import logging
import math
import re
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from pydantic_core import to_json

from retrieval.model.conversation import LONGEST_BOUNDED_TEXT, Prompt
from retrieval.model.definitions import ModelDeployment
from retrieval.model.json_value import JsonValue
from retrieval.models import chat_completions
from retrieval.text import length

Form: TypeAlias = Literal["json_schema", "json_object", "prompt"]
"""How a reply's form is asked for: by the schema, as any JSON object, or by the prompt alone. With the last two, the
prompt has the schema."""

NEXT_FORM: Final[Mapping[Form, Form]] = {"json_schema": "json_object", "json_object": "prompt"}
SCHEMA: Final = "Reply with one JSON object and nothing else. Its JSON schema:"

MEMBERS: Final[Mapping[str, object]] = {
    "temperature": 0,
    "seed": 1,
    "reasoning_effort": "none",
    "stream": True,
    "stream_options": {"include_usage": True},
}
"""The members that a server may refuse, beside the two names of the most tokens."""

NAMED: Final = re.compile(
    r"(?<![a-z])(?:(?P<bounds>maxlength|maxitems)"
    r"|(?P<response_format>response_format|json[_ ]schema|json[_ ]object|structured output|grammar|guided)"
    r"|(?P<max_completion_tokens>max_completion_tokens)|(?P<max_tokens>max_tokens)|(?P<temperature>temperature)"
    r"|(?P<seed>seed)|(?P<reasoning_effort>reasoning|thinking)|(?P<stream_options>stream_options|include_usage)"
    r"|(?P<stream>stream))",
    re.IGNORECASE,
)
"""The members that a refusal may name, each in the words of servers."""
PLAIN: Final = frozenset({"temperature", "seed", "reasoning_effort", "stream_options", "max_completion_tokens"})
"""The members that are left out together where a refusal names none."""

REFUSALS: Final = frozenset({400, 422, 500, 501})
"""The statuses with which servers refuse a member. With 500 and 501 the member must be named."""

CONTEXT: Final = re.compile(
    r"context[_ ](?:length|size|window|overflow)|context the overflows|n_ctx|exceed_context|max_model_len"
    r"|(?:prompt|input) is too long|too many tokens",
    re.IGNORECASE,
)
CONTEXT_TOKENS: Final = re.compile(r"(?:context (?:length|size|window)|n_ctx|max_model_len)\D{0,25}(\d{3,8})", re.I)
MODEL: Final = re.compile(r"model.{0,200}?(?:not found|not exist|not loaded|not available)|no models? loaded", re.I)
LOADING: Final = re.compile(r"load|starting|warming|busy|try again", re.IGNORECASE)

LONGEST_WORDS: Final = 300
"""The most characters of a server's words in a record."""
LONGEST_READ: Final = 4_000

CUT_FROM: Final = 1_500
"""A prompt of so many tokens, by our count, may be too large for a server that does not say so."""
LEAST_CONTEXT: Final = 1_000
"""A server that counts fewer tokens does not count those that it remembers of an earlier prompt."""
CUT_SHARE: Final = 0.6
POWERS_CUT_SHARE: Final = 0.85
USUAL_SCALE: Final = 1.25
MOST_SCALE: Final = 3.0
"""A server's tokens for one token of our count: before a reply counted them, and at most."""
LEAST_REPLY: Final = 256
"""The fewest tokens for a reply with which a prompt is sent."""

CONTEXT_REMEDY: Final = (
    "Give it a larger one: OLLAMA_CONTEXT_LENGTH for Ollama, the model's context length in LM Studio, -c for "
    "llama-server; or set CHAT_CONTEXT."
)
MOST_ITEMS: Final = 40
"""The most items of a list in the schema of a reply. A small model that repeats itself never ends a text or a list
without a bound."""

REMEDIES: Final[Mapping[str, tuple[str, str]]] = {
    "bounds": (
        "takes no maxLength and maxItems in a schema, so that a model that repeats itself goes on to its most tokens",
        "A newer server takes them.",
    ),
    "json_object": (
        "takes no json_schema, and is asked for any JSON object",
        "A newer server keeps replies to a schema.",
    ),
    "prompt": (
        "takes no response_format of ours, and has the schema in its prompt",
        "A newer server keeps replies to a schema.",
    ),
    "stream": (
        "does not stream, so that nothing is read before its whole reply",
        "Turn streaming on, or take a newer server.",
    ),
    "stream_options": (
        "takes no stream_options, so that its tokens are estimated",
        "A newer server counts them.",
    ),
    "reasoning_effort": (
        "takes no reasoning_effort, so that a model that reasons may take long",
        "Choose one that does not reason.",
    ),
    "temperature": ("takes no temperature, so that its replies vary", "A newer server takes it."),
    "seed": ("takes no seed, so that its replies may vary", "A newer server takes it."),
}
"""What is told of a difference, and its remedy. The two names of the most tokens need none."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a server is asked: the form of a reply, and the members that it does not take."""

    form: Form = "json_schema"
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A server's refusal of a request, or the error in its reply. `param` is the member that it names, and `context`
    the tokens of the context, where it states them."""

    status: int
    words: str
    param: str = ""
    context: int | None = None

    @property
    def shown(self) -> str:
        """The server's own words on one line."""
        return length.line(self.words, LONGEST_WORDS) or "no words given"

    @property
    def about(self) -> Literal["loading", "context", "model"] | None:
        """The reason, where it is no member of the request."""
        if self.status == 503 and LOADING.search(self.words):
            return "loading"
        if self.context is not None or CONTEXT.search(self.words):
            return "context"
        return "model" if MODEL.search(self.words) else None


def refusal(status: int, body: object) -> Refusal:
    """The refusal in a body: the value of `error`, which is an object or a text, or the whole body."""
    members: Mapping[str, object] = body if isinstance(body, Mapping) else {}
    stated = next((text for name in ("message", "detail", "error") if (text := members.get(name))), body)
    words = stated if isinstance(stated, str) else to_json(stated, serialize_unknown=True).decode("utf-8", "replace")
    words, param, context = words[:LONGEST_READ], members.get("param"), members.get("n_ctx")
    if not isinstance(context, int) or context <= 0:
        stated = CONTEXT_TOKENS.search(words)
        context = int(stated[1]) if stated else None
    return Refusal(status=status, words=words, param=param if isinstance(param, str) else "", context=context)


def body(model: str, prompt: Prompt, dialect: Dialect) -> dict[str, object]:
    """The request body of a completion. The most tokens of the reply have both of their names."""
    instructions, form = prompt.instructions, dialect.form
    if form != "json_schema":
        instructions += f"\n\n{SCHEMA}\n{to_json(prompt.strict_schema).decode()}"
    members = chat_completions.body(model, replace(prompt, instructions=instructions))
    if "bounds" not in dialect.without:
        members["response_format"] = chat_completions.form(prompt.name, bounded(prompt.schema))
    members |= MEMBERS if prompt.most_tokens is None else {**MEMBERS, "max_tokens": prompt.most_tokens}
    if form == "json_object":
        members["response_format"] = {"type": "json_object"}
    left_out = dialect.without if form != "prompt" else {*dialect.without, "response_format"}
    return {name: value for name, value in members.items() if name not in left_out}


def bounded(schema: JsonValue) -> JsonValue:
    """The schema with the most characters of each text and the most items of each list; its own come first."""
    if isinstance(schema, list):
        return [*map(bounded, schema)]
    if not isinstance(schema, Mapping):
        return schema
    bounds: dict[str, JsonValue] = {"maxItems": MOST_ITEMS} if schema.get("type") == "array" else {}
    if schema.get("type") == "string" and "enum" not in schema:
        bounds = {"maxLength": LONGEST_BOUNDED_TEXT}
    return {**bounds, **{name: bounded(value) for name, value in schema.items()}}


def adapted(dialect: Dialect, refused: Refusal) -> Dialect | None:
    """The dialect without what a server refuses; None where nothing more can be left out. Of several members that a
    refusal names, the bounds of the schema or else the first that was sent is left out; if it names none, PLAIN are."""
    if refused.status not in REFUSALS:
        return None
    kinds = [refused.param, *(match.lastgroup or "" for match in NAMED.finditer(refused.words))]
    for kind in sorted(kinds, key=lambda kind: kind != "bounds"):
        if kind.partition(".")[0] == "response_format" and dialect.form in NEXT_FORM:
            return replace(dialect, form=NEXT_FORM[dialect.form])
        if kind in {*MEMBERS, "bounds", "max_tokens", "max_completion_tokens"} - dialect.without:
            more = {"stream", "stream_options"} if kind == "stream" else {kind}
            return replace(dialect, without=dialect.without | more)
    if any(kinds) or refused.status >= 500:
        return None
    if not dialect.without >= PLAIN:
        return replace(dialect, without=dialect.without | PLAIN)
    return replace(dialect, form=NEXT_FORM[dialect.form]) if dialect.form in NEXT_FORM else None


def other_form(dialect: Dialect, refused: Refusal) -> Dialect | None:
    """The dialect with the next form of a reply, where a reply failed for its form; None for any other error."""
    first = next((match.lastgroup for match in NAMED.finditer(refused.words)), None)
    return adapted(dialect, replace(refused, status=400)) if first == "response_format" else None


class ChatServer:
    """What is known of the server of CHAT_URL: its dialect and its context. `calls` is the number of calls that it
    answers at once; further calls wait before they are sent."""

    def __init__(self, model: ModelDeployment, *, context: int | None = None, calls: int = 1) -> None:
        self.model = model
        self.dialect = Dialect()
        self.context = context
        self._scale = USUAL_SCALE
        self._places = asyncio.Semaphore(calls)

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until the server has a place for a call, and keep the place within the block."""
        return self._places

    def room(self, tokens: int) -> float:
        """The most tokens of a reply to a prompt of so many tokens, by our count; infinite where the context is not
        known."""
        return math.inf if self.context is None else self.context - math.ceil(tokens * self._scale)

    def learn(self, dialect: Dialect) -> None:
        """Remember a dialect in which the server answered, and log what is new in it."""
        new = {dialect.form} - {self.dialect.form} | (dialect.without - self.dialect.without)
        self.dialect = dialect
        for name in REMEDIES.keys() & new:
            logger.warning("The chat model at %s %s. %s", self.model.endpoint, *REMEDIES[name])

    def learn_context(self, tokens: int) -> None:
        """Remember how much the server reads, and log it. A smaller number that is already known is kept."""
        if tokens < LEAST_REPLY or (self.context is not None and self.context <= tokens):
            return
        self.context = tokens
        logger.warning(
            "The chat model at %s reads %d tokens in all: prompts and replies keep within them. %s",
            self.model.endpoint,
            tokens,
            CONTEXT_REMEDY,
        )

    def learn_size(self, prompt: int, counted: int) -> None:
        """Remember how many tokens the server counts for one of ours."""
        if prompt >= CUT_FROM and counted:
            self._scale = min(max(self._scale, counted / prompt), MOST_SCALE)


def cut_at(prompt: int, counted: int) -> int | None:
    """The context of a server that cut a prompt in silence; None where nothing shows that it did. `prompt` has our
    count of the tokens, and `counted` the server's.

    Ollama keeps as much as its context has, which usually is a power of two, or half of that and two tokens.
    """
    if prompt < CUT_FROM or counted < LEAST_CONTEXT or counted >= POWERS_CUT_SHARE * prompt:
        return None
    if _is_power(counted - 2):
        return 2 * (counted - 2)
    return counted if is_full(counted) or counted < CUT_SHARE * prompt else None


def is_full(counted: int) -> bool:
    """Whether so many tokens fill a context of a usual size, perhaps but for one."""
    return counted >= LEAST_CONTEXT and (_is_power(counted) or _is_power(counted + 1))


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0
