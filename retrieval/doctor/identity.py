"""Checks the identity with which the deployment calls services. The identity must get a token for each service without
a key."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from retrieval.doctor import clouds
from retrieval.doctor.services import Backend, Identity
from retrieval.model.finding import About, Finding
from retrieval.outgoing.access_tokens import NoToken, decisive_message
from retrieval.text.clipped import plain

_REASONS: Final[Mapping[str, tuple[str, str]]] = {
    "AADSTS500011": ("the tenant knows no resource {audience}", "{audience_setting}"),
    "AADSTS500014": (
        "the resource {audience} is switched off in the tenant",
        "Ask an administrator of the tenant to enable that enterprise application.",
    ),
    "AADSTS700016": (
        "the tenant knows no application of this client id",
        'Correct AZURE_CLIENT_ID and AZURE_TENANT_ID: az ad sp list --all --query "[].appId"',
    ),
    "AADSTS7000215": ("the client secret is wrong", "Set AZURE_CLIENT_SECRET to the value of a secret, not to its id."),
    "AADSTS7000222": ("the client secret has expired", "az ad app credential reset --id <client id>"),
    "AADSTS90002": (
        "there is no such tenant in this cloud",
        "Correct AZURE_TENANT_ID; a tenant of another cloud needs AZURE_AUTHORITY_HOST.",
    ),
    "AADSTS900382": (
        "the tenant is of another cloud than the authority",
        "Set AZURE_AUTHORITY_HOST to the authority of the tenant's cloud.",
    ),
    "AADSTS700213": (
        "no federated credential of the application fits",
        "Compare the subject and the issuer: az ad app federated-credential list --id <client id>",
    ),
    "AADSTS53003": ("a policy of conditional access refuses it", "Ask an administrator of the tenant."),
    **dict.fromkeys(
        ("AADSTS50076", "AADSTS50079", "AADSTS50173", "AADSTS65001", "AADSTS70043", "AADSTS700082"),
        ("the sign-in is not valid any more", "az login"),
    ),
}


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
        return about.fault(
            f"{service.endpoint} is in {cloud.title}, where tokens are for {audience}, not {service.audience}.",
            f"Set {service.setting}_AUDIENCE={audience}",
        )
    if in_azure:
        return None
    if authority is not None and clouds.of_authority(authority) not in {cloud, None}:
        return about.fault(
            f"{service.endpoint} is in {cloud.title}, and tokens are asked of {authority}.",
            f"Set AZURE_AUTHORITY_HOST=https://{cloud.authority}, and az cloud set --name {cloud.name}",
        )
    if authority is None and cloud is not clouds.PUBLIC:
        return about.warning(
            f"{service.endpoint} is in {cloud.title}, and tokens are asked of the public cloud.",
            f"Set AZURE_AUTHORITY_HOST=https://{cloud.authority}",
        )
    return None


async def token(identity: Identity, service: Backend, *, in_azure: bool) -> Finding:
    """Checks that the identity gets a token for a service."""
    about = About("identity", service.title)
    token_or_none = await identity.get(service.audience)
    if isinstance(token_or_none, NoToken):
        return _none(token_or_none, service, about, in_azure=in_azure)
    return about.ok(f"{identity.kind} gets a token for {service.audience}{_who(token_or_none.claims)}.")


def _who(claims: Mapping[str, Any]) -> str:
    claim_names = {"object id": "oid", "client id": "appid", "tenant": "tid"}
    titles = [
        f"{title} {claims[claim]}"
        for title, claim in claim_names.items()
        if re.fullmatch(r"[0-9a-fA-F-]{36}", str(claims.get(claim, "")))
    ]
    return f" ({', '.join(titles)})" if titles else ""


def _none(no_token: NoToken, service: Backend, about: About, *, in_azure: bool) -> Finding:
    if no_token.code in _REASONS:
        reason, do = _REASONS[no_token.code]
        words = {"audience": service.audience, "audience_setting": _audience(service)}
        return about.fault(f"No token: {reason.format(**words)} ({no_token.code}).", do.format(**words))
    if no_token.code:
        return about.fault(
            f"No token for {service.audience}: {plain(decisive_message(no_token.message))}",
            f"https://login.microsoftonline.com/error?code={no_token.code.removeprefix('AADSTS')} "
            f"describes {no_token.code}.",
        )
    no_token_text = f"No token for {service.audience}: {plain(decisive_message(no_token.message))}"
    if in_azure:
        return about.fault(
            no_token_text,
            "Assign the identity to the app, and set AZURE_CLIENT_ID to its client id: "
            "az functionapp identity show --name <app> --resource-group <group>",
        )
    sign_in = "Install the Azure CLI, then az login" if "Azure CLI not found" in no_token_text else "az login"
    return about.fault(no_token_text, f"{sign_in}, or set {service.setting}_API_KEY for development.")


def _audience(service: Backend) -> str:
    cloud = clouds.of_endpoint(service.endpoint)
    possible_clouds = [cloud] if cloud else clouds.CLOUDS
    ways = " or ".join(dict.fromkeys(possible_cloud.audience(service.kind) for possible_cloud in possible_clouds))
    return f"Set {service.setting}_AUDIENCE to the audience of the cloud that the tenant is in: {ways}"


async def examine(
    identity: Identity, services: Sequence[Backend], *, authority: str | None, in_azure: bool
) -> Sequence[Finding]:
    """The findings about each service that is called with a token."""
    if not services:
        return [About("identity").skipped("No service is called with a token: each has a key, or is on this machine.")]
    findings = []
    for service in services:
        finding = check(service, authority=authority, in_azure=in_azure)
        if finding is not None:
            findings.append(finding)
        if finding is None or finding.state != "fault":
            findings.append(await token(identity, service, in_azure=in_azure))
    return findings
