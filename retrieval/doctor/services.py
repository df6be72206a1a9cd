"""Calls a service with a key or a token. If the call fails, finds the reason.

The message of a service is quoted in one short line of printable characters, without tokens.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import urlsplit

from pydantic_core import from_json, to_json

from retrieval.doctor import role_advice
from retrieval.doctor.clouds import Kind
from retrieval.errors import Why
from retrieval.model.finding import About, Finding
from retrieval.outgoing.access_tokens import NoToken, Token
from retrieval.outgoing.connections import HttpAnswer, HttpRequest, Silence
from retrieval.text.clipped import plain

_NETWORK: Final = re.compile(
    r"firewall|virtual network|public network|public access|private endpoint|ip address|not allowed to access|ip rules",
    re.IGNORECASE,
)
_KEYS_OFF: Final = re.compile(
    r"AuthenticationTypeDisabled|key.based authentication|local ?auth|KeyBasedAuth", re.IGNORECASE
)

Reply: TypeAlias = HttpAnswer | Silence | NoToken


class Ask(Protocol):
    """Sends one request."""

    async def __call__(self, request: HttpRequest, /) -> HttpAnswer | Silence:
        """The reply to a request. A failure of the service is a reply, not an exception."""


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

    async def answer(self, service: Backend, reply: Reply, about: About) -> HttpAnswer | Finding:
        """The answer in a reply. A finding if there is no token, or if the service did not answer, refused the
        credential, redirected or failed."""
        if isinstance(reply, NoToken):
            return about.skipped(f"No token for {service.title} was given: see the identity.")
        if isinstance(reply, Silence):
            return _silent(service, reply, about)
        if reply.status in {401, 403}:
            return await self._refusal(service, reply, about)
        if 300 <= reply.status < 400:
            return about.fault(
                f"{service.title} answers with a redirect ({reply.status}), which is not followed.",
                f"Set {service.setting}_ENDPOINT to the address of the service itself.",
            )
        if reply.status >= 500:
            return about.fault(f"{service.title} failed: {quoted(reply)}", "Try again; then see its health.")
        return reply

    async def _refusal(self, service: Backend, reply: HttpAnswer, about: About) -> Finding:
        refusal_text = quoted(reply)
        if _NETWORK.search(refusal_text):
            return about.fault(
                f"The network rules of {service.title} refuse this place: {refusal_text}",
                "Call from within its network (PRIVATE_NETWORK=true), or open it: "
                f'az resource update --ids "$({service.scope})" --set properties.publicNetworkAccess=Enabled',
            )
        if service.key and _KEYS_OFF.search(refusal_text):
            return about.fault(
                f"{service.title} takes no keys: {refusal_text}",
                f"Remove {service.setting}_API_KEY and give this service's identity the role {service.role!r}.",
            )
        if service.key:
            return about.fault(
                f"{service.title} does not accept the key in {service.setting}_API_KEY: {refusal_text}",
                f"Set {service.setting}_API_KEY to a key of that resource, or remove it to use the identity.",
            )
        return await self._token_refusal(service, reply, refusal_text, about)

    async def _token_refusal(self, service: Backend, reply: HttpAnswer, refusal_text: str, about: About) -> Finding:
        token = await self.identity.get(service.audience)
        claims = token.claims if isinstance(token, Token) else {}
        lacking = role_advice.lacking_role(service.role, service.scope, claims)
        if reply.status == 401 and service.kind != "model":
            return about.fault(
                f"{service.title} does not accept tokens for {service.audience}: {refusal_text}",
                f"Either it takes keys only: {role_advice.accept_identities(service.scope)}\n"
                f"or the audience is wrong: see the identity, and {service.setting}_AUDIENCE.",
            )
        if reply.status == 401 and re.search(r"audience|issuer", refusal_text, re.IGNORECASE):
            return about.fault(
                f"{service.title} does not accept tokens for {service.audience}: {refusal_text}",
                f"Set {service.setting}_AUDIENCE to the audience of its cloud: see the identity.",
            )
        return about.fault(
            f"The identity may not use {service.title}: {refusal_text}", role_advice.advice(lacking), lacking=lacking
        )


def _silent(service: Backend, reply: Silence, about: About) -> Finding:
    host = urlsplit(service.endpoint).hostname
    ways: Mapping[Why, tuple[str, str]] = {
        "name": (
            f"the name {host} is not known",
            f"Correct {service.setting}_ENDPOINT; for a private endpoint, link its DNS zone to this network.",
        ),
        "refused": ("nothing listens at its address", f"Correct {service.setting}_ENDPOINT, and look at firewalls."),
        "certificate": (
            "its certificate is not valid for the address",
            f"Use the name that the certificate is for in {service.setting}_ENDPOINT.",
        ),
        "timed out": (
            "it did not answer in time",
            "Look at firewalls and private endpoints between here and it, and at its health.",
        ),
        "size": ("its answer is too large", f"See that {service.setting}_ENDPOINT is the address of {service.title}."),
    }
    usual = ("it gave no HTTP answer that can be read", f"Correct {service.setting}_ENDPOINT, and look at proxies.")
    reason, do = ways.get(reply.why, usual)
    return about.fault(f"{service.title} cannot be asked: {reason}.", do)


def read(reply: HttpAnswer) -> Any:
    """The JSON value in an answer; None if the content is not JSON."""
    try:
        return from_json(reply.content)
    except ValueError:
        return None


def member(value: Any, *path: str) -> Any:
    """The value at the end of a path of members; None if a member of the path is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def error_of(reply: HttpAnswer) -> tuple[str, str]:
    """The code and the message in Azure's error object. A missing code or message is an empty text."""
    error = member(read(reply), "error")
    code, message = member(error, "code"), member(error, "message")
    return code if isinstance(code, str) else "", message if isinstance(message, str) else ""


def quoted(reply: HttpAnswer) -> str:
    """The status, the error code and the message of the service."""
    code, message = error_of(reply)
    sentence = " ".join(part for part in (code, message) if part not in {"", str(reply.status)})
    if not sentence:
        return f"{reply.status}, without a reason that can be read."
    return f"{reply.status} {plain(sentence)}"
