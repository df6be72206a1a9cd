"""Azure OpenAI as a ChatModel: chat completions with strict JSON-schema output.

The `openai` package takes about a second to import, so it is imported on the first call, in a thread beside the event
loop. No retries: when a model is busy, the rules plan instead, and the caller does not wait (`pipeline.make_plan`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal, NoReturn

from azure.core.exceptions import AzureError, ClientAuthenticationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrieval import telemetry, threads
from retrieval.errors import (
    BackendForbidden,
    BackendRefused,
    BackendThrottled,
    BackendTimeout,
    BackendUnavailable,
)
from retrieval.model.definitions import ModelDeployment
from retrieval.model.prompt import Prompt, Reply

if TYPE_CHECKING:
    from openai import AsyncAzureOpenAI, OpenAIError

SERVICE: Final = "The chat model"
API_VERSION: Final = "2025-04-01-preview"
"""The last dated version. Versions before 2024-12-01-preview do not serve reasoning models."""
CALL_SECONDS: Final = 60.0

_ENDED_BY: Final[Mapping[str, Literal["length", "filter"]]] = {"length": "length", "content_filter": "filter"}

TokenProvider = Callable[[], Awaitable[str]]


class Part(BaseModel):
    """A part of a chat completion, with the members that are read here."""

    model_config = ConfigDict(defer_build=True)


class CompletionMessage(Part):
    content: str | None = None
    refusal: str | None = None


class Choice(Part):
    message: CompletionMessage
    finish_reason: str | None = None


class Usage(Part):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(Part):
    """The members of a chat completion that are read here."""

    choices: Annotated[list[Choice], Field(min_length=1)]
    usage: Usage | None = None


class AzureOpenAIModel:
    """One deployment. Without an api key in it, `token` gives the bearer token of this service's identity."""

    def __init__(self, deployment: ModelDeployment, *, token: TokenProvider) -> None:
        self._deployment = deployment
        self._token = token
        self._opening = asyncio.Lock()
        self._client: AsyncAzureOpenAI | None = None

    async def complete(self, prompt: Prompt) -> Reply:
        """Raises BackendError."""
        body, headers = self._body(prompt), telemetry.outgoing()
        sent = await self._sent(
            lambda client: client.post("/chat/completions", cast_to=bytes, body=body, options={"headers": headers})
        )
        return _reply(sent)

    async def reach(self) -> None:
        """Ask for the list of models, which costs no tokens and needs no more rights. Raises BackendError."""
        await self._sent(lambda client: client.get("/models", cast_to=bytes))

    async def _sent(self, send: "Callable[[AsyncAzureOpenAI], Awaitable[bytes]]") -> bytes:
        """The body of a success. Raises BackendError."""
        await threads.once(_load)
        from openai import OpenAIError

        try:
            return await send(await self._opened())
        except ClientAuthenticationError:
            raise BackendForbidden(SERVICE, status=401, hint="No token could be obtained for it.") from None
        except AzureError as error:
            raise BackendUnavailable(SERVICE, f"could not be reached ({type(error).__name__}).") from error
        except OpenAIError as error:
            _raise(error, with_key=self._deployment.api_key is not None)
        except UnicodeError:
            raise BackendUnavailable(SERVICE, "has an address or a key that is not valid.") from None

    def _body(self, prompt: Prompt) -> dict[str, object]:
        """Plain JSON: the SDK's typed call would validate it, at four times the CPU time of the call itself."""
        json_schema = {"name": prompt.name, "strict": True, "schema": dict(prompt.schema)}
        most = {} if prompt.most_tokens is None else {"max_completion_tokens": prompt.most_tokens}
        return {
            **most,
            "model": self._deployment.deployment,
            "messages": [
                {"role": "system", "content": prompt.instructions},
                {"role": "user", "content": prompt.data},
            ],
            "response_format": {"type": "json_schema", "json_schema": json_schema},
        }

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._client is not None:
            await self._client.close()

    async def _opened(self) -> "AsyncAzureOpenAI":
        """The client. Making it reads the certificates of this machine, so it is made beside the event loop."""
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open)
            return self._client

    def _open(self) -> "AsyncAzureOpenAI":
        from openai import AsyncAzureOpenAI, DefaultAsyncHttpxClient

        key = self._deployment.api_key
        return AsyncAzureOpenAI(
            azure_endpoint=self._deployment.endpoint,
            api_version=API_VERSION,
            api_key=key,
            azure_ad_token_provider=None if key else self._token,
            max_retries=0,
            timeout=CALL_SECONDS,
            http_client=DefaultAsyncHttpxClient(follow_redirects=False, timeout=CALL_SECONDS),
        )


def _load() -> None:
    """Imports the package's parts, which it would otherwise load at their first use."""
    from openai import AsyncAzureOpenAI, DefaultAsyncHttpxClient  # noqa: F401


class ModelNotAllowed:
    """Replaces a model that an agent names and the configuration does not allow. It is never called."""

    async def complete(self, prompt: Prompt) -> Reply:
        """Raises BackendUnavailable."""
        raise BackendUnavailable(SERVICE, "of this agent is not in the setting ALLOWED_MODELS.")


def _reply(content: bytes) -> Reply:
    try:
        completion = Completion.model_validate_json(content)
    except ValidationError:
        raise BackendUnavailable(SERVICE, "answered with something other than a chat completion.") from None
    choice, usage = completion.choices[0], completion.usage or Usage()
    return Reply(
        text=choice.message.content or "",
        input_tokens=max(usage.prompt_tokens, 0),
        output_tokens=max(usage.completion_tokens, 0),
        ended_by="refusal" if choice.message.refusal else _ENDED_BY.get(choice.finish_reason or ""),
    )


def _raise(error: "OpenAIError", *, with_key: bool) -> NoReturn:
    from openai import APIStatusError, APITimeoutError

    if isinstance(error, APITimeoutError):
        raise BackendTimeout(SERVICE, seconds=CALL_SECONDS) from None
    if not isinstance(error, APIStatusError):
        raise BackendUnavailable(SERVICE, f"could not be reached ({type(error).__name__}).") from error
    status = error.status_code
    if status in {401, 403}:
        hint = "Its key is not accepted." if with_key else "It needs the role Cognitive Services OpenAI User."
        raise BackendForbidden(SERVICE, status=status, hint=hint) from None
    if status == 429:
        telemetry.throttled(telemetry.AZURE_OPENAI)
        raise BackendThrottled(SERVICE) from None
    if 400 <= status < 500:
        raise BackendRefused(SERVICE, status=status, message=(error.code or "no code given")[:100]) from None
    raise BackendUnavailable(SERVICE, f"failed ({status}).") from None
