"""Calls a service with a key or a token. If the call fails, finds the reason.

The message of a service is quoted in one short line of printable characters, without tokens.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from pydantic_core import from_json, to_json

from retrieval.doctor import role_advice
from retrieval.doctor.sentences import finding_of
from retrieval.model.finding import About, Finding, Lacking
from retrieval.outgoing.access_tokens import NoToken, Token
from retrieval.outgoing.connections import HttpAnswer, HttpRequest, Silence
from retrieval.text.length import quotation

Kind: TypeAlias = Literal["search", "model", "storage"]
Reply: TypeAlias = HttpAnswer | Silence | NoToken


Ask: TypeAlias = Callable[[HttpRequest], Awaitable[HttpAnswer | Silence]]
"""Sends one request. A failure of the service is a reply, not an exception."""


class Identity(Protocol):
    """The tokens of the identity with which the deployment calls services."""

    async def get(self, audience: str) -> Token | NoToken:
        """The token for an audience."""

    @property
    def kind(self) -> str:
        """The name of the credential that gives the tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A service that the deployment calls. `title` is the name of the service in findings. `setting` is the beginning
    of the names of its settings, such as `AZURE_SEARCH`.

    `resources` is the name of the resource type in commands of `az`. `is_local` is true for the local search service,
    which is not an Azure resource and needs no role.
    """

    kind: Kind
    title: str
    setting: str
    endpoint: str
    key: str | None = field(default=None, repr=False)
    audience: str
    resources: str
    is_local: bool = False

    @property
    def role(self) -> str:
        """The role that the identity needs."""
        return role_advice.ROLES[self.kind]

    @property
    def resource(self) -> str:
        """The first part of the host name, which names the resource; a placeholder if the host has no dot or begins
        with a digit."""
        host = urlsplit(self.endpoint).hostname or ""
        match = re.fullmatch(r"([a-z0-9][a-z0-9-]*)\.[a-z0-9.-]+", host)
        return match[1] if match and not host[0].isdigit() else "<name>"

    @property
    def scope(self) -> str:
        """The command that prints the id of the resource."""
        return f"""az {self.resources} list --query "[?name=='{self.resource}'].id" --output tsv"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendCaller:
    """Calls services with the same credentials as the deployment."""

    ask: Ask
    identity: Identity

    async def call(self, service: Backend, method: str, path: str, body: object = None) -> Reply:
        """The reply to one request; `body` is sent as JSON."""
        token = None if service.key else await self.identity.get(service.audience)
        if isinstance(token, NoToken):
            return token
        credential = {"Authorization": f"Bearer {token.value}"} if token else {"api-key": service.key or ""}
        headers = {"Accept": "application/json", "Content-Type": "application/json", **credential}
        content = b"" if body is None else to_json(body)
        return await self.ask(
            HttpRequest(method=method, url=f"{service.endpoint}{path}", headers=headers, body=content)
        )

    async def answer(
        self, service: Backend, about: About, method: str, path: str, body: object = None
    ) -> HttpAnswer | Finding:
        """The answer to one request. A finding if there is no token, or if the service did not answer, refused the
        credential, redirected or failed."""
        reply = await self.call(service, method, path, body)
        if isinstance(reply, NoToken):
            return finding_of(about, "not-asked", service=service)
        if isinstance(reply, Silence):
            return finding_of(
                about, "silent", when=reply.why, service=service, host=urlsplit(service.endpoint).hostname
            )
        if reply.status in {401, 403}:
            return await self._refusal(service, reply, about)
        if 300 <= reply.status < 400:
            return finding_of(about, "redirect", service=service, status=reply.status)
        if reply.status >= 500:
            return finding_of(about, "failed", service=service, why=quoted(reply))
        return reply

    async def _refusal(self, service: Backend, reply: HttpAnswer, about: About) -> Finding:
        why = quoted(reply)
        if service.key:
            return finding_of(about, "refused", when="key", text=why, service=service, why=why)
        lacking = await lacking_role(self.identity, service)
        return finding_of(
            about,
            "refused",
            when=f"token {reply.status} {service.kind}",
            text=why,
            lacking=lacking,
            service=service,
            why=why,
            advice=role_advice.advice(lacking),
        )


async def lacking_role(identity: Identity, service: Backend) -> Lacking:
    """The role that the identity may lack for a service."""
    token = await identity.get(service.audience)
    claims = token.claims if isinstance(token, Token) else {}
    principal = str(claims.get("oid", ""))
    is_user = claims.get("idtyp") == "user" or "scp" in claims
    return Lacking(
        role=service.role,
        scope=service.scope,
        principal=principal if re.fullmatch(r"[0-9a-fA-F-]{36}", principal) else "",
        kind="User" if is_user else "ServicePrincipal",
    )


def read(content: bytes) -> Any:
    """The JSON value in the content of an answer; None if the content is not JSON."""
    try:
        return from_json(content)
    except ValueError:
        return None


def member(value: Any, *path: str) -> Any:
    """The value at the end of a path of members; None if a member of the path is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def error_of(reply: HttpAnswer) -> tuple[str, str]:
    """The code and the message in Azure's error object. A missing code or message is an empty text."""
    error = member(read(reply.content), "error")
    code, message = member(error, "code"), member(error, "message")
    return code if isinstance(code, str) else "", message if isinstance(message, str) else ""


def quoted(reply: HttpAnswer) -> str:
    """The status, the error code and the message of the service."""
    code, message = error_of(reply)
    sentence = " ".join(part for part in (code, message) if part not in {"", str(reply.status)})
    if not sentence:
        return f"{reply.status}, without a reason that can be read."
    return f"{reply.status} {quotation(sentence)}"
