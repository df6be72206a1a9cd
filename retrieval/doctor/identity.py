"""The identity that the deployment calls services with: who it is, and whether it gets the tokens that it needs."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from retrieval.backends.tokens import NoToken, told
from retrieval.doctor import clouds
from retrieval.doctor.services import Identity, Service, plain
from retrieval.model.finding import About, Finding

_SAID: Final[Mapping[str, tuple[str, str]]] = {
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


def check(service: Service, *, authority: str | None, in_azure: bool) -> Finding | None:
    """What is wrong with the audience or the authority, by the cloud of the service's address.

    A managed identity has no authority to choose.
    """
    about = About("identity", service.title)
    cloud = clouds.of_endpoint(service.endpoint)
    if cloud is None:
        return None
    expected = cloud.audience(service.kind)
    if service.audience.rstrip("/") != expected:
        return about.fault(
            f"{service.endpoint} is in {cloud.title}, where tokens are for {expected}, not {service.audience}.",
            f"Set {service.setting}_AUDIENCE={expected}",
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


async def token(identity: Identity, service: Service, *, in_azure: bool) -> Finding:
    """Whether it gets a token for a service."""
    about = About("identity", service.title)
    found = await identity.get(service.audience)
    if isinstance(found, NoToken):
        return _none(found, service, about, in_azure=in_azure)
    return about.ok(f"{identity.kind} gets a token for {service.audience}{_who(found.claims)}.")


def _who(claims: Mapping[str, Any]) -> str:
    named = {"object id": "oid", "client id": "appid", "tenant": "tid"}
    known = [
        f"{title} {claims[claim]}"
        for title, claim in named.items()
        if re.fullmatch(r"[0-9a-fA-F-]{36}", str(claims.get(claim, "")))
    ]
    return f" ({', '.join(known)})" if known else ""


def _none(found: NoToken, service: Service, about: About, *, in_azure: bool) -> Finding:
    if found.code in _SAID:
        said, do = _SAID[found.code]
        words = {"audience": service.audience, "audience_setting": _audience(service)}
        return about.fault(f"No token: {said.format(**words)} ({found.code}).", do.format(**words))
    if found.code:
        return about.fault(
            f"No token for {service.audience}: {plain(told(found.said))}",
            f"https://login.microsoftonline.com/error?code={found.code.removeprefix('AADSTS')} describes {found.code}.",
        )
    said = f"No token for {service.audience}: {plain(told(found.said))}"
    if in_azure:
        return about.fault(
            said,
            "Assign the identity to the app, and set AZURE_CLIENT_ID to its client id: "
            "az functionapp identity show --name <app> --resource-group <group>",
        )
    sign_in = "Install the Azure CLI, then az login" if "Azure CLI not found" in said else "az login"
    return about.fault(said, f"{sign_in}, or set {service.setting}_API_KEY for development.")


def _audience(service: Service) -> str:
    cloud = clouds.of_endpoint(service.endpoint)
    known = [cloud] if cloud else clouds.CLOUDS
    ways = " or ".join(dict.fromkeys(one.audience(service.kind) for one in known))
    return f"Set {service.setting}_AUDIENCE to the audience of the cloud that the tenant is in: {ways}"


async def examine(
    identity: Identity, services: Sequence[Service], *, authority: str | None, in_azure: bool
) -> Sequence[Finding]:
    """A line for each service that is called with a token."""
    if not services:
        return [About("identity").skipped("No service is called with a token: each has a key, or is on this machine.")]
    found = []
    for service in services:
        wrong = check(service, authority=authority, in_azure=in_azure)
        if wrong is not None:
            found.append(wrong)
        if wrong is None or wrong.state != "fault":
            found.append(await token(identity, service, in_azure=in_azure))
    return found
