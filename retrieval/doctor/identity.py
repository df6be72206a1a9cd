"""Checks the identity with which the deployment calls services. The identity must get a token for each service without
a key. The addresses and the token audiences of each cloud tell which audience is right.

Audiences of Azure AI Search:
https://learn.microsoft.com/python/api/azure-search-documents/azure.search.documents.knownsearchaudience

Storage has the same audience in every cloud:
https://learn.microsoft.com/azure/storage/blobs/authorize-access-azure-active-directory
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Backend, Identity, Kind
from retrieval.model.finding import About, Finding
from retrieval.outgoing.access_tokens import Token, decisive_message
from retrieval.text.length import quotation

STORAGE_AUDIENCE: Final = "https://storage.azure.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A cloud. `domain` is the last part of most of its token audiences and service addresses. The addresses of tables
    end with `storage`."""

    title: str
    name: str
    authority: str
    domain: str
    storage: str

    def audience(self, kind: Kind) -> str:
        """The audience of a token for a service."""
        if kind == "storage":
            return STORAGE_AUDIENCE
        return f"https://{'search' if kind == 'search' else 'cognitiveservices'}.azure.{self.domain}"


PUBLIC: Final = Cloud(
    title="the public cloud",
    name="AzureCloud",
    authority="login.microsoftonline.com",
    domain="com",
    storage="table.core.windows.net",
)
CLOUDS: Final = (
    PUBLIC,
    Cloud(
        title="Azure US Government",
        name="AzureUSGovernment",
        authority="login.microsoftonline.us",
        domain="us",
        storage="table.core.usgovcloudapi.net",
    ),
    Cloud(
        title="Azure in China",
        name="AzureChinaCloud",
        authority="login.chinacloudapi.cn",
        domain="cn",
        storage="table.core.chinacloudapi.cn",
    ),
)


def cloud_of(endpoint: str) -> Cloud | None:
    """The cloud of an address, by the end of its host name; None for any other host name."""
    host = urlsplit(endpoint).hostname or ""
    return next((cloud for cloud in CLOUDS if host.endswith(_endings(cloud))), None)


def of_authority(authority: str) -> Cloud | None:
    """The cloud of an Entra ID authority; None for any other address."""
    host = urlsplit(authority if "://" in authority else f"https://{authority}").hostname
    return next((cloud for cloud in CLOUDS if cloud.authority == host), None)


def _endings(cloud: Cloud) -> tuple[str, ...]:
    search = ".search.windows.net" if cloud is PUBLIC else f".search.azure.{cloud.domain}"
    models = (f".openai.azure.{cloud.domain}", f".cognitiveservices.azure.{cloud.domain}")
    more = (".services.ai.azure.com",) if cloud is PUBLIC else ()
    return (search, *models, *more, f".{cloud.storage}")


def check(service: Backend, *, authority: str | None, in_azure: bool) -> Finding | None:
    """A finding if the token audience or the authority does not fit the cloud of the service; None otherwise.

    The authority is not checked in Azure, because a managed identity cannot choose its authority.
    """
    about = About("identity", service.title)
    cloud = cloud_of(service.endpoint)
    if cloud is None:
        return None
    audience = cloud.audience(service.kind)
    if service.audience.rstrip("/") != audience:
        return finding_of(about, "audience-of-other-cloud", service=service, cloud=cloud, audience=audience)
    if in_azure:
        return None
    if authority is not None and of_authority(authority) not in {cloud, None}:
        return finding_of(about, "authority-of-other-cloud", service=service, cloud=cloud, authority=authority)
    if authority is None and cloud is not PUBLIC:
        return finding_of(about, "authority-unset", service=service, cloud=cloud)
    return None


async def token(identity: Identity, service: Backend, *, in_azure: bool) -> Finding:
    """Checks that the identity gets a token for a service."""
    about = About("identity", service.title)
    answer = await identity.get(service.audience)
    if isinstance(answer, Token):
        return finding_of(about, "token", kind=identity.kind, audience=service.audience, who=_who(answer.claims))
    cloud = cloud_of(service.endpoint)
    audiences = dict.fromkeys(cloud.audience(service.kind) for cloud in ([cloud] if cloud else CLOUDS))
    message = quotation(decisive_message(answer.message))
    return finding_of(
        about,
        "no-token",
        when=answer.code,
        text=message,
        message=message,
        code=answer.code,
        number=answer.code.removeprefix("AADSTS"),
        service=service,
        audiences=" or ".join(audiences),
        in_azure=in_azure,
    )


def _who(claims: Mapping[str, Any]) -> str:
    claim_names = {"object id": "oid", "client id": "appid", "tenant": "tid"}
    titles = [
        f"{title} {claims[claim]}"
        for title, claim in claim_names.items()
        if re.fullmatch(r"[0-9a-fA-F-]{36}", str(claims.get(claim, "")))
    ]
    return f" ({', '.join(titles)})" if titles else ""


async def examine(
    identity: Identity, services: Sequence[Backend], *, authority: str | None, in_azure: bool
) -> Sequence[Finding]:
    """The findings about each service that is called with a token."""
    if not services:
        return [finding_of(About("identity"), "no-token-needed")]
    findings = []
    for service in services:
        finding = check(service, authority=authority, in_azure=in_azure)
        if finding is not None:
            findings.append(finding)
        if finding is None or finding.state != "fault":
            findings.append(await token(identity, service, in_azure=in_azure))
    return findings
