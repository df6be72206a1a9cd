"""Calls chat completions of Azure OpenAI with strict JSON-schema output. A reply can be read while the model writes it.

The `openai` package takes about a second to import. So it is imported on the first call, in a separate thread. This
module does not retry a call after a temporary failure, so that the caller does not wait. If the model cannot make a
plan, `planning.make_plan` makes the plan by rules.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote

from azure.core.exceptions import AzureError, ClientAuthenticationError
from pydantic_core import PydanticSerializationError, to_json

from retrieval import threads
from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMisconfigured,
    BackendRefused,
    BackendThrottled,
    BackendUnavailable,
)
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.definitions import ModelDeployment
from retrieval.model.json_value import JsonValue
from retrieval.models.completion import SERVICE, lacking, read_response, refusal
from retrieval.outgoing.breakers_and_retries import retry_after
from retrieval.outgoing.connections import session
from retrieval.ports import Hear
from retrieval.telemetry import names, outgoing_calls, spans
from retrieval.version import USER_AGENT

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import APIStatusError, AsyncOpenAI, RequestOptions

API_VERSION: Final = "2025-04-01-preview"
"""The last dated version. Versions before 2024-12-01-preview do not serve reasoning models."""
WITHOUT_VERSIONS: Final = "/openai/v1"
COMPLETIONS: Final = "/chat/completions"
MODELS: Final = "/models"
FOUND_SECONDS: Final = 60.0
"""A deployment that was found is assumed to exist for this time."""
CALL_SECONDS: Final = 60.0
WAYS: Final[Sequence[Mapping[str, object]]] = (
    {"stream": True, "stream_options": {"include_usage": True}},
    {"stream": True},
    {},
)
"""The request options that are tried for a streamed reply, in this order. Each entry after the first leaves out options
that an endpoint may refuse. The last entry does not stream.
"""

USUAL: Final["RequestOptions"] = {
    "max_retries": 0,
    "timeout": CALL_SECONDS,
    "params": {},
    "security": {"bearer_auth": True},
    "idempotency_key": "",
}
"""The request options of the `openai` package. They are made once, because the package would otherwise make or copy
them for each call."""
HEADERS: Final = {"Accept-Encoding": "identity", "User-Agent": USER_AGENT}
"""Answers are small, so no compression is requested. An answer that is compressed with gzip can still be read."""

TokenProvider = Callable[[], Awaitable[str]]

Value = TypeVar("Value")


def completions_path(endpoint: str, deployment: str) -> str:
    """The path of a chat completion, which is appended to the endpoint. For endpoints ending in `/openai/v1`, it is
    COMPLETIONS."""
    if endpoint.rstrip("/").endswith(WITHOUT_VERSIONS):
        return COMPLETIONS
    return f"/openai/deployments/{quote(deployment, safe='')}{COMPLETIONS}?api-version={API_VERSION}"


def body(deployment: str, prompt: Prompt) -> dict[str, object]:
    """The request body of a completion as a dictionary. The SDK's typed call would convert the body, which takes four
    times the CPU time of the call itself."""
    most = {} if prompt.most_tokens is None else {"max_completion_tokens": prompt.most_tokens}
    return {
        **most,
        "model": deployment,
        "messages": [
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": prompt.data},
        ],
        "response_format": form(prompt.name, prompt.strict_schema),
    }


def form(name: str, schema: JsonValue) -> dict[str, object]:
    """The `response_format` of a reply that keeps to the schema."""
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


class AzureOpenAIModel:
    """One deployment of a chat model. If the deployment has no API key, `token` returns the bearer token of this
    service's identity."""

    connect_seconds: float = CALL_SECONDS
    patient: bool = False

    def __init__(self, deployment: ModelDeployment, *, token: TokenProvider | str) -> None:
        self._deployment = deployment
        self._endpoint = deployment.endpoint.rstrip("/")
        self._address = self._endpoint + completions_path(deployment.endpoint, deployment.deployment)
        self._token = token
        key, takes_bearer = deployment.api_key, self._endpoint.endswith(WITHOUT_VERSIONS)
        self._credential: Mapping[str, str] | None = None if key is None or takes_bearer else {"api-key": key}
        self._way = 0
        self._found: float | None = None

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendError."""
        return await self._send(lambda client: self._complete(client, prompt, hear))

    async def reach(self) -> None:
        """Request the list of models. This request costs no tokens and needs no additional rights. Raises
        BackendError."""
        is_dated = not self._endpoint.endswith(WITHOUT_VERSIONS)
        path = f"/openai{MODELS}?api-version={API_VERSION}" if is_dated else MODELS
        await self._send(lambda client: client.get(self._endpoint + path, cast_to=bytes, options=self._options({})))

    async def find(self) -> None:
        """Raises BackendMisconfigured if the deployment does not exist or cannot be used.

        A found deployment is not checked again for a minute. The check is a chat completion without messages, which
        costs no tokens. If the deployment exists, the service refuses the empty list of messages. Other failures are
        ignored.
        """
        now = asyncio.get_running_loop().time()
        if self._found is not None and now - self._found < FOUND_SECONDS:
            return
        asked = to_json({"model": self._deployment.deployment, "messages": []})
        try:
            await self._send(
                lambda client: client.post(self._address, cast_to=bytes, content=asked, options=self._options({}))
            )
        except BackendMisconfigured:
            raise
        except BackendRefused:
            pass
        except BackendError:
            return
        self._found = now

    async def _complete(self, client: "AsyncOpenAI", prompt: Prompt, hear: Hear | None) -> Reply:
        """The reply. If an endpoint refuses the options of a streamed reply, the request is repeated with fewer
        options. Later streamed calls begin with these options."""
        from openai import APIStatusError

        way = len(WAYS) - 1 if hear is None else self._way
        members, headers = body(self._deployment.deployment, prompt), spans.outgoing()
        while True:
            try:
                response = await self._post(client, {**members, **WAYS[way]}, headers)
            except APIStatusError as error:
                # Services name the refused member: "Unrecognized request argument supplied: stream_options".
                if error.status_code not in {400, 422} or "stream" not in error.message or not WAYS[way]:
                    raise
                way = way + 1 if "stream_options" in error.message else len(WAYS) - 1
                outgoing_calls.retried(names.AZURE_OPENAI)
            else:
                self._way = self._way if hear is None else way
                return await read_response(response, hear, prompt.longest)

    async def _post(
        self, client: "AsyncOpenAI", members: Mapping[str, object], headers: Mapping[str, str]
    ) -> "Response":
        """The response, whose body is not read yet where it comes in events."""
        from httpx2 import Response
        from openai import AsyncStream

        response = await client.post(
            self._address,
            cast_to=Response,
            content=to_json(members),
            options=self._options(headers),
            stream=True,
            stream_cls=AsyncStream[object],
        )
        assert isinstance(response, Response)
        return response

    async def _send(self, send: "Callable[[AsyncOpenAI], Awaitable[Value]]") -> Value:
        """The result of `send`. Raises BackendError."""
        await threads.imported("openai", "retrieval.models.over_aiohttp")
        from openai import APIStatusError, OpenAIError

        try:
            return await send(self._openai)
        except ClientAuthenticationError:
            raise BackendForbidden(SERVICE, status=401, hint="No token could be obtained for it.") from None
        except APIStatusError as error:
            raise self._refused(error) from None
        except (AzureError, OpenAIError) as error:
            if isinstance(cause := error.__cause__, BackendError):
                raise cause from cause.__cause__
            raise BackendUnavailable(SERVICE, "could not be reached.") from error
        except (UnicodeError, PydanticSerializationError):
            raise BackendUnavailable(SERVICE, "has an address, a key or a text that is not valid.") from None

    def _refused(self, error: "APIStatusError") -> BackendError:
        """The error of an answer that is a refusal."""
        status = error.status_code
        if (lack := lacking(status, error.code or "")) is not None:
            return lack
        if status in {401, 403}:
            with_key = self._deployment.api_key is not None
            hint = "Its key is not accepted." if with_key else "It needs the role Cognitive Services OpenAI User."
            return BackendForbidden(SERVICE, status=status, hint=hint)
        if status == 429:
            return throttled(error)
        if 400 <= status < 500:
            message = (error.code or "no code given")[:100]
            return BackendRefused(SERVICE, status=status, message=message, of=refusal(error.body))
        return BackendUnavailable(SERVICE, f"failed ({status}).", status=status)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if "_openai" in self.__dict__:
            await self._openai.close()

    @cached_property
    def _openai(self) -> "AsyncOpenAI":
        """A new client. It is not the package's Azure client, because that client builds the address and the query
        again for each call."""
        from openai import AsyncOpenAI

        from retrieval.models.over_aiohttp import OpenAIClient

        return AsyncOpenAI(
            base_url=self._endpoint,
            api_key=self._deployment.api_key or self._token,
            default_headers=HEADERS,
            max_retries=0,
            http_client=OpenAIClient(session(), seconds=self.connect_seconds, patient=self.patient),
        )

    def _options(self, headers: Mapping[str, str]) -> "RequestOptions":
        """The request options of the `openai` package. An endpoint that ends with `/openai/v1` gets an API key as a
        bearer token. Any other endpoint gets the key in the header `api-key`."""
        from openai import omit

        if self._credential is None:
            return {**USUAL, "headers": headers}
        return {**USUAL, "security": {}, "headers": {**headers, **self._credential, "Authorization": omit}}


class ModelNotAllowed:
    """Takes the place of a model that an agent names but the configuration does not allow."""

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        """Raises BackendUnavailable."""
        raise BackendUnavailable(SERVICE, "of this agent is not in the setting ALLOWED_MODELS.")


def throttled(error: "APIStatusError") -> BackendThrottled:
    """The error of a 429, which is also counted."""
    outgoing_calls.throttled(names.AZURE_OPENAI)
    return BackendThrottled(SERVICE, retry_after=retry_after(error.response.headers.get("retry-after", "")))
