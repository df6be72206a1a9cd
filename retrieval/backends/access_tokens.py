"""The access tokens with which `retrieval.doctor` calls other services."""

import asyncio
import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError

from retrieval import threads
from retrieval.backends.bodies import UNREAD

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
