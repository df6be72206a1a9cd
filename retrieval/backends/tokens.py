"""The tokens with which this service calls others: their claims, or the reason why there is no token."""

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
    """A token. `claims` are unverified, and empty where the token cannot be read: only its audience has to be able to
    read it."""

    value: str = field(repr=False)
    claims: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoToken:
    """`code` is Entra ID's error code, AADSTS and digits; empty where Entra ID was not called. `message` is the
    SDK's."""

    code: str
    message: str


class Tokens:
    """The tokens of one credential, one for each audience. The credential is made when somebody asks for a token."""

    def __init__(self, credential: Callable[[], AsyncTokenCredential]) -> None:
        self._credential = credential
        self._asked: dict[str, asyncio.Task[Token | NoToken]] = {}

    async def get(self, audience: str) -> Token | NoToken:
        """The token for an audience, such as `https://search.azure.com`. A second call gets the same token."""
        if audience not in self._asked:
            self._asked[audience] = asyncio.create_task(self._get(audience))
        return await asyncio.shield(self._asked[audience])

    @property
    def kind(self) -> str:
        """The name of the credential that gave the last token. For a chain it is the name of the link, if that is
        known."""
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
    """The message of one link of a chain of credentials: that of Entra ID's refusal, else that of the Azure CLI, else
    that of the last link. Another message stays as it is."""
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
