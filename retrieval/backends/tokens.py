"""Tokens of the identity that this service calls others with: their claims, or why there is none."""

import asyncio
import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError

from retrieval.backends.bodies import UNREAD

_CODE: Final = re.compile(r"AADSTS\d{2,10}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token. `claims` are unverified, and empty where the token cannot be read: only its audience must read it."""

    value: str = field(repr=False)
    claims: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoToken:
    """`code` is that of Entra ID, AADSTS and digits, empty where it was not asked. `message` is the SDK's."""

    code: str
    message: str


class Tokens:
    """The tokens of one credential, one an audience. The credential is made when a token is asked for."""

    def __init__(self, credential: Callable[[], AsyncTokenCredential]) -> None:
        self._credential = credential
        self._asked: dict[str, asyncio.Task[Token | NoToken]] = {}

    async def get(self, audience: str) -> Token | NoToken:
        """The token for an audience, such as `https://search.azure.com`; who asks twice gets the same."""
        if audience not in self._asked:
            self._asked[audience] = asyncio.create_task(self._get(audience))
        return await asyncio.shield(self._asked[audience])

    @property
    def kind(self) -> str:
        """The name of the credential that gave the last token: of a chain, the link's where it is known."""
        credential = self._credential()
        return type(getattr(credential, "_successful_credential", None) or credential).__name__

    async def close(self) -> None:
        """End the requests for tokens that are under way."""
        for task in self._asked.values():
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

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
    """The message of the link of a chain of credentials that matters: Entra ID's refusal, else the Azure CLI's, else
    the last link's. Another message stays as it is.
    """
    links = re.findall(r"^\t(\w+Credential: .*)$", message, re.MULTILINE)
    refusals = [link for link in links if _CODE.search(link)]
    of_cli = [link for link in links if link.startswith("AzureCliCredential:")]
    return next(iter([*refusals, *of_cli, *links[-1:]]), message)


def _claims(token: str) -> Mapping[str, Any]:
    """The claims in the middle part of a JWT."""
    try:
        middle = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}
