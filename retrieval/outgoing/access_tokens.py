"""The access tokens with which this service and `retrieval.doctor` call other services."""

import asyncio
import base64
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from azure.core.credentials import AccessToken
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError, ClientAuthenticationError, DecodeError, HttpResponseError

from retrieval import threads
from retrieval.errors import BackendError, BackendForbidden, BackendUnanswered, BackendUnavailable
from retrieval.outgoing.bodies import UNREAD, UNREADABLE

SERVICE: Final = "The token endpoint"
HINT: Final = "No token could be obtained: give the app its identity, and its identity the role."
FAILED_SECONDS: Final = 5.0
WAITED_SECONDS: Final = 8.0
"""The longest wait for a token in Azure. The managed identity repeats a request that fails for five seconds."""

_CODE: Final = re.compile(r"AADSTS\d{2,10}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token. `claims` are not verified. They are empty if the token cannot be decoded. An access token may have a
    format that only its audience can decode."""

    value: str = field(repr=False)
    claims: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoToken:
    """The reason why there is no token. `code` is Entra ID's error code: AADSTS and digits. `code` is empty if the
    message contains no such code. `message` is the SDK's error message, or a fixed sentence if the reply to the token
    request cannot be read."""

    code: str
    message: str


class NamedTokens(AsyncTokenCredential):
    """A credential whose failures are errors of the token endpoint, and not of the service that the token is for.

    Calls that need the same token share one request. It goes on if a call is cancelled. Its failure is kept for
    FAILED_SECONDS, since the credential has repeated it already. `seconds` is the longest wait for a token; None waits
    as long as the credential does.
    """

    def __init__(self, credential: AsyncTokenCredential, *, seconds: float | None) -> None:
        self._credential = credential
        self._seconds = seconds
        self._asked: dict[tuple[str, ...], asyncio.Task[AccessToken]] = {}
        self._failed: dict[tuple[str, ...], tuple[float, BackendError]] = {}

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        """Raises BackendForbidden, BackendUnanswered and BackendUnavailable."""
        if any(options.values()):  # such as the claims of a challenge
            return await self._get(scopes, options)
        at, failure = self._failed.get(scopes, (-math.inf, None))
        if failure is not None and asyncio.get_running_loop().time() - at < FAILED_SECONDS:
            raise failure
        if scopes not in self._asked:
            task = self._asked[scopes] = asyncio.create_task(self._get(scopes, options))
            task.add_done_callback(threads.mark_seen)
            task.add_done_callback(lambda _: self._asked.pop(scopes, None))
        return await asyncio.shield(self._asked[scopes])

    async def close(self) -> None:
        """Cancel the running requests, and close the credential."""
        await threads.cancel(self._asked.values())
        await self._credential.close()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _get(self, scopes: tuple[str, ...], options: Mapping[str, Any]) -> AccessToken:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._credential.get_token(*scopes, **options)
        except (*UNREAD, TimeoutError, AzureError) as error:
            failure = _our_error(error)
            self._failed[scopes] = asyncio.get_running_loop().time(), failure
            raise failure from None


def _our_error(error: Exception) -> BackendError:
    """The failure of a credential as an error of the token endpoint."""
    if isinstance(error, UNREAD) or isinstance(error.__cause__, DecodeError):
        return BackendUnanswered(SERVICE, UNREADABLE, why="unreadable")
    status = error.status_code if isinstance(error, HttpResponseError) else None
    if status is not None and status >= 500:
        return BackendUnavailable(SERVICE, f"failed ({status}).", status=status)
    if isinstance(error, ClientAuthenticationError):
        return BackendForbidden(SERVICE, status=status or 401, hint=HINT)
    from retrieval.outgoing.over_aiohttp import unanswered

    return unanswered(SERVICE, error)


class Tokens:
    """The tokens of one credential, one for each audience."""

    def __init__(self, credential: Callable[[], AsyncTokenCredential]) -> None:
        self._credential = credential
        self._asked: dict[str, asyncio.Task[Token | NoToken]] = {}

    async def get(self, audience: str) -> Token | NoToken:
        """The token for an audience, such as `https://search.azure.com`, or the reason why there is none. A second call
        gets the same result."""
        if audience not in self._asked:
            self._asked[audience] = asyncio.create_task(self._get(audience))
        return await asyncio.shield(self._asked[audience])

    @property
    def kind(self) -> str:
        """The class name of the credential. For a credential chain, it is the class name of the successful credential
        in the chain, if that is known."""
        credential = self._credential()
        return type(getattr(credential, "_successful_credential", None) or credential).__name__

    async def close(self) -> None:
        """Cancel the running requests for tokens."""
        await threads.cancel(self._asked.values())

    async def _get(self, audience: str) -> Token | NoToken:
        try:
            access_token = await self._credential().get_token(f"{audience.rstrip('/')}/.default")
        except UNREAD:
            return NoToken(code="", message="What answers for the identity cannot be read.")
        except AzureError as error:
            code = _CODE.search(str(error))
            return NoToken(code=code[0] if code else "", message=str(error))
        return Token(value=access_token.token, claims=_claims(access_token.token))


def decisive_message(message: str) -> str:
    """The most useful part of the error message of a credential chain, which has one message for each credential. A
    message with an error code of Entra ID is preferred, then the Azure CLI credential's message, then the last message.
    A message of a single credential is returned unchanged."""
    links = re.findall(r"^\t(\w+Credential: .*)$", message, re.MULTILINE)
    refusals = [link for link in links if _CODE.search(link)]
    of_cli = [link for link in links if link.startswith("AzureCliCredential:")]
    return next(iter([*refusals, *of_cli, *links[-1:]]), message)


def _claims(token: str) -> Mapping[str, Any]:
    """The claims in the middle part of a JWT; empty if they cannot be read."""
    try:
        middle = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}
