"""Checks whether the access settings admit too many callers or nobody, or reveal too much. Also reports unknown
api-versions, and a missing package for streams."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final
from urllib.parse import urlsplit

from retrieval.doctor.identity import CLOUDS, STORAGE_AUDIENCE
from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Ask, member, read
from retrieval.model.definitions import Agent, Source
from retrieval.model.finding import About, Finding
from retrieval.outgoing.connections import HttpRequest, Silence
from retrieval.settings.missing_definitions import unknown_names
from retrieval.settings.settings import BUILT_IN, STREAMS, Settings, can_stream
from retrieval.text.length import quotation

SHORTEST_KEY: Final = 16
OTHERS_AUDIENCES: Final = frozenset(
    {
        "https://graph.microsoft.com",
        "00000003-0000-0000-c000-000000000000",
        STORAGE_AUDIENCE,
        *(f"https://management.{domain}" for domain in ("azure.com", "core.windows.net", "usgovcloudapi.net")),
        *(cloud.audience(kind) for cloud in CLOUDS for kind in ("search", "model")),
    }
)
"""Audiences of other services. If this service accepted such an audience, tokens for the other service would give
access to this service."""
USUAL_SCOPES: Final = frozenset({"user_impersonation", "access_as_user", "User.Read", "openid", "profile", "email"})
"""Scopes that every signed-in user of a client gets."""
KEYS: Final = About("access", "keys")
ENTRA: Final = About("access", "Entra ID")


def keys(settings: Settings) -> Sequence[Finding]:
    """The findings about keys."""
    findings = [*_weak(settings), *_duplicates(settings)]
    retrieve, manage = len(settings.query_keys), len(settings.admin_keys)
    base = sum(map(len, settings.base_keys.values()))
    if not retrieve + manage + base:
        return [finding_of(KEYS, "no-key", tenant=settings.entra_tenant_id)]
    if not manage and settings.entra_tenant_id is None:
        findings.append(finding_of(KEYS, "no-admin-key"))
    if any(finding.state == "fault" for finding in findings):
        return findings
    return [*findings, finding_of(KEYS, "key-counts", retrieve=retrieve, manage=manage, base=base)]


def versions(unknown: Mapping[str, str]) -> Sequence[Finding]:
    """A finding for each unknown api-version that callers of this process requested."""
    return [
        finding_of(About("access", "api-versions"), "unknown-version", version=version, substitute=substitute)
        for version, substitute in unknown.items()
    ]


def _weak(settings: Settings) -> Iterator[Finding]:
    """The findings about weak keys. A finding names the position of a key in its setting, and never contains the key
    itself."""
    keys_by_setting = {"API_KEYS": settings.query_keys, "ADMIN_API_KEYS": settings.admin_keys}
    keys_by_setting |= {f"BASE_KEYS of {base}": values for base, values in settings.base_keys.items()}
    for setting, values in keys_by_setting.items():
        for place, key in enumerate(values, 1):
            if weakness := _weakness(key, settings):
                variable = setting.split()[0]
                yield finding_of(KEYS, weakness, place=place, setting=setting, variable=variable, shortest=SHORTEST_KEY)


def _weakness(key: str, settings: Settings) -> str | None:
    if key.startswith("@Microsoft.KeyVault"):
        return "key-unresolved"
    if key not in BUILT_IN:
        return "key-short" if len(key) < SHORTEST_KEY else None
    if not settings.local:
        return "key-printed"
    return None if settings.uses_local_search else "key-printed-here"


def _duplicates(settings: Settings) -> Iterator[Finding]:
    if set(settings.query_keys) & set(settings.admin_keys):
        yield finding_of(KEYS, "key-of-both")
    unbound = {*settings.query_keys, *settings.admin_keys}
    for base in sorted(base for base, values in settings.base_keys.items() if unbound.intersection(values)):
        yield finding_of(KEYS, "key-of-every-base", base=base)


def names(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> Sequence[Finding]:
    """The findings about names in access settings that no definition has."""
    return [
        finding_of(About("access", "names"), "unknown-name", sentence=sentence, setting=setting, store=settings.store)
        for setting, sentence, _ in unknown_names(settings, agents, sources)
    ]


def exposure(settings: Settings) -> Sequence[Finding]:
    """The findings about settings that reveal more than their defaults do, about alerts that reach nobody, and about
    STREAM_EVENTS without the package STREAMS."""
    deployed = not settings.local
    holds = {
        "log-content": deployed and settings.log_content,
        "playground": deployed and settings.playground,
        "every-origin": deployed and "*" in settings.cors_origins,
        "alerts": settings.alerts_reach_nobody,
        "streams": deployed and settings.stream_events and not can_stream(),
    }
    return [finding_of(About("settings"), name, package=STREAMS) for name, is_so in holds.items() if is_so]


def imposed(settings: Settings, indexes: Collection[str]) -> Sequence[Finding]:
    """The findings about imposed filters; `indexes` are those of agents, sources and INDEX_FIELDS."""
    about, rules = About("access", "imposed filters"), settings.imposed_filters
    if not rules:
        return []
    names = {name.lower() for name in rules}
    findings = []
    if "*" not in names and (ruleless := sorted(name for name in indexes if name.lower() not in names)):
        findings.append(finding_of(about, "filters-refuse", indexes=", ".join(ruleless[:5]), first=ruleless[0]))
    if settings.query_keys and not all(rule.with_key for rule in chain.from_iterable(rules.values())):
        findings.append(finding_of(about, "filters-without-key"))
    return findings or [finding_of(about, "filters-well")]


def entra(settings: Settings) -> Iterator[Finding]:
    """The findings about the settings of Entra ID."""
    if settings.entra_tenant_id is None:
        yield finding_of(ENTRA, "no-tenant")
        return
    if foreign := OTHERS_AUDIENCES.intersection(audience.rstrip("/") for audience in settings.entra_audience):
        yield finding_of(ENTRA, "foreign-audience", audience=min(foreign))
    manage, retrieve = settings.entra_manage_roles, settings.entra_retrieve_roles
    for setting, roles in (("ENTRA_MANAGE_ROLES", manage), ("ENTRA_RETRIEVE_ROLES", retrieve)):
        if usual := USUAL_SCOPES.intersection(roles):
            yield finding_of(ENTRA, "usual-scope", when=setting, setting=setting, scope=min(usual))
    if roles_for_both := set(manage).intersection(retrieve):
        yield finding_of(ENTRA, "role-of-both", role=min(roles_for_both))


async def tenant(settings: Settings, ask: Ask) -> Sequence[Finding]:
    """Checks that the tenant's OpenID configuration can be read, and that it names this tenant. Its host also has the
    signing keys of tokens."""
    if settings.entra_tenant_id is None:
        return []
    authority = f"{settings.entra_authority}/{settings.entra_tenant_id}"
    host = urlsplit(authority).hostname
    reply = await ask(HttpRequest(method="GET", url=f"{authority}/v2.0/.well-known/openid-configuration"))
    if isinstance(reply, Silence):
        return [finding_of(ENTRA, "tenant-silent", host=host, why=reply.why)]
    document = read(reply.content)
    if reply.status != 200:
        return [_no_tenant(reply.status, member(document, "error_description"))]
    issuer = member(document, "issuer")
    is_of_tenant = isinstance(issuer, str) and settings.entra_tenant_id in issuer
    return [finding_of(ENTRA, "tenant-well" if is_of_tenant else "other-tenant", host=host)]


def _no_tenant(status: int, message: Any) -> Finding:
    message = message if isinstance(message, str) else "without a reason that can be read"
    match = re.search(r"AADSTS\d{2,10}", message)
    code = match[0] if match else ""
    authorities = ", ".join(f"https://{cloud.authority}" for cloud in CLOUDS)
    why = quotation(message)
    return finding_of(
        ENTRA, "tenant-refused", when=code, code=code, status=status, message=why, authorities=authorities
    )
