"""Checks the identity with which the deployment calls services. The identity must get a token for each service without
a key."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.doctor import clouds
from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Backend, Identity
from retrieval.model.finding import About, Finding
from retrieval.outgoing.access_tokens import Token, decisive_message
from retrieval.text.clipped import plain


def check(service: Backend, *, authority: str | None, in_azure: bool) -> Finding | None:
    """A finding if the token audience or the authority does not fit the cloud of the service; None otherwise.

    The authority is not checked in Azure, because a managed identity cannot choose its authority.
    """
    about = About("identity", service.title)
    cloud = clouds.of_endpoint(service.endpoint)
    if cloud is None:
        return None
    audience = cloud.audience(service.kind)
    if service.audience.rstrip("/") != audience:
        return finding_of(about, "audience-of-other-cloud", service=service, cloud=cloud, audience=audience)
    if in_azure:
        return None
    if authority is not None and clouds.of_authority(authority) not in {cloud, None}:
        return finding_of(about, "authority-of-other-cloud", service=service, cloud=cloud, authority=authority)
    if authority is None and cloud is not clouds.PUBLIC:
        return finding_of(about, "authority-unset", service=service, cloud=cloud)
    return None


async def token(identity: Identity, service: Backend, *, in_azure: bool) -> Finding:
    """Checks that the identity gets a token for a service."""
    about = About("identity", service.title)
    answer = await identity.get(service.audience)
    if isinstance(answer, Token):
        return finding_of(about, "token", kind=identity.kind, audience=service.audience, who=_who(answer.claims))
    cloud = clouds.of_endpoint(service.endpoint)
    audiences = dict.fromkeys(cloud.audience(service.kind) for cloud in ([cloud] if cloud else clouds.CLOUDS))
    message = plain(decisive_message(answer.message))
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
