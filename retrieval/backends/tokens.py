"""Tokens of the identity that this service calls others with: what they say, or why there is none."""

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
    """`claims` are what it says of itself, unverified; empty where it cannot be read, which only its audience must."""

    value: str = field(repr=False)
    claims: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoToken:
    """`code` is that of Entra ID, AADSTS and digits, empty where it was not asked. `said` are the SDK's own words."""

    code: str
    said: str


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
        """The credential that gave the last token: of a chain the link, where it tells which."""
        credential = self._credential()
        return type(getattr(credential, "_successful_credential", None) or credential).__name__

    async def close(self) -> None:
        """End what is still asked for."""
        for task in self._asked.values():
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    async def _get(self, audience: str) -> Token | NoToken:
        try:
            found = await self._credential().get_token(f"{audience.rstrip('/')}/.default")
        except UNREAD:
            return NoToken(code="", said="What answers for the identity cannot be read.")
        except AzureError as error:
            code = _CODE.search(str(error))
            return NoToken(code=code[0] if code else "", said=str(error))
        return Token(value=found.token, claims=_claims(found.token))


def told(said: str) -> str:
    """Of the words of a chain of credentials those of the link that matters: Entra ID's refusal, else what the Azure
    CLI says, else the last; other words as they are.
    """
    links = re.findall(r"^\t(\w+Credential: .*)$", said, re.MULTILINE)
    refused = [link for link in links if _CODE.search(link)]
    of_cli = [link for link in links if link.startswith("AzureCliCredential:")]
    return next(iter([*refused, *of_cli, *links[-1:]]), said)


def _claims(token: str) -> Mapping[str, Any]:
    """The middle part of a JWT."""
    try:
        middle = token.split(".")[1]
        found = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
