"""Checks whether the access settings admit too many callers or nobody, or reveal too much. Also reports unknown
api-versions, and a missing package for streams."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from retrieval.doctor import clouds
from retrieval.doctor.services import Ask, member, read
from retrieval.model.definitions import Agent, Source
from retrieval.model.finding import About, Finding
from retrieval.outgoing.connections import HttpAnswer, HttpRequest, Silence
from retrieval.settings.missing_definitions import unknown_names
from retrieval.settings.settings import BUILT_IN, STREAMS, Settings, can_stream
from retrieval.text.clipped import plain

SHORTEST_KEY: Final = 16
OTHERS_AUDIENCES: Final = frozenset(
    {
        "https://graph.microsoft.com",
        "00000003-0000-0000-c000-000000000000",
        clouds.STORAGE_AUDIENCE,
        *(f"https://management.{domain}" for domain in ("azure.com", "core.windows.net", "usgovcloudapi.net")),
        *(cloud.audience(kind) for cloud in clouds.CLOUDS for kind in ("search", "model")),
    }
)
"""Audiences of other services. If this service accepted such an audience, tokens for the other service would give
access to this service."""
USUAL_SCOPES: Final = frozenset({"user_impersonation", "access_as_user", "User.Read", "openid", "profile", "email"})
"""Scopes that every signed-in user of a client gets."""
NEW_KEY: Final = 'azd env set {} "$(openssl rand -hex 24)", then azd provision'
KEYS: Final = About("access", "keys")
ENTRA: Final = About("access", "Entra ID")
NAMES: Final = About("access", "names")
VERSIONS: Final = About("access", "api-versions")


def keys(settings: Settings) -> Sequence[Finding]:
    """The findings about keys."""
    findings = [*_weak(settings), *_duplicates(settings)]
    counts = len(settings.query_keys), len(settings.admin_keys), sum(map(len, settings.base_keys.values()))
    if not any(counts):
        by_token = settings.entra_tenant_id is not None
        sentence = "callers bring tokens." if by_token else "without ENTRA_TENANT_ID every call is refused."
        return [KEYS.skipped(f"No key is configured: {sentence}")]
    if not settings.admin_keys and settings.entra_tenant_id is None:
        findings.append(
            KEYS.warning("Nobody may manage agents: there is no admin key.", NEW_KEY.format("ADMIN_API_KEYS"))
        )
    if any(finding.state == "fault" for finding in findings):
        return findings
    return [*findings, KEYS.ok(f"{counts[0]} may retrieve, {counts[1]} may manage, {counts[2]} open single bases.")]


def versions(unknown: Mapping[str, str]) -> Sequence[Finding]:
    """A finding for each unknown api-version that callers of this process requested."""
    do = "Update this app to a release that knows it, or refuse such calls: STRICT_API_VERSIONS=1."
    return [
        VERSIONS.warning(f"Callers of this instance ask for {version}, and are answered as {substitute}.", do)
        for version, substitute in unknown.items()
    ]


def _weak(settings: Settings) -> Iterator[Finding]:
    """The findings about weak keys. A finding names the position of a key in its setting, and never contains the key
    itself."""
    keys_by_setting = [("API_KEYS", settings.query_keys), ("ADMIN_API_KEYS", settings.admin_keys)]
    keys_by_setting += [(f"BASE_KEYS of {base}", values) for base, values in settings.base_keys.items()]
    for setting, values in keys_by_setting:
        for place, key in enumerate(values, 1):
            do = NEW_KEY.format(setting.split()[0])
            if key.startswith("@Microsoft.KeyVault"):
                yield KEYS.fault(
                    f"Key {place} of {setting} is a Key Vault reference that was not resolved.",
                    "Give the app's identity the role 'Key Vault Secrets User' on the vault, and restart the app.",
                )
            elif key in BUILT_IN and not settings.local:
                yield KEYS.fault(f"Key {place} of {setting} is printed in the documentation: everybody has it.", do)
            elif key in BUILT_IN and not settings.uses_local_search:
                yield KEYS.warning(
                    f"Key {place} of {setting} is printed in the documentation, and a real service is searched with "
                    "it: keep this app on your machine.",
                    f"Set {setting.split()[0]} to a key of your own: openssl rand -hex 24",
                )
            elif key not in BUILT_IN and len(key) < SHORTEST_KEY:
                yield KEYS.warning(
                    f"Key {place} of {setting} has fewer than {SHORTEST_KEY} characters and can be guessed.", do
                )


def _duplicates(settings: Settings) -> Iterator[Finding]:
    if set(settings.query_keys) & set(settings.admin_keys):
        yield KEYS.fault(
            "A key is in API_KEYS and in ADMIN_API_KEYS: whoever may retrieve may manage.",
            NEW_KEY.format("ADMIN_API_KEYS"),
        )
    unbound = {*settings.query_keys, *settings.admin_keys}
    for base in sorted(base for base, values in settings.base_keys.items() if unbound.intersection(values)):
        yield KEYS.fault(
            f"A key of BASE_KEYS of {base} is in API_KEYS or ADMIN_API_KEYS too: it opens every base.",
            "Take it out of one of the two settings.",
        )


def names(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> Sequence[Finding]:
    """The findings about names in access settings that no definition has."""
    state = NAMES.fault if settings.store is None else NAMES.warning
    return [
        state(sentence, f"Correct {setting}, or make what it names: until then nothing is protected by that.")
        for setting, sentence, _ in unknown_names(settings, agents, sources)
    ]


def exposure(settings: Settings) -> Sequence[Finding]:
    """The findings about settings that reveal more than their defaults do."""
    if settings.local:
        return []
    exposing = (
        ("LOG_CONTENT=1", settings.log_content, "logs hold queries, document keys and error messages."),
        ("PLAYGROUND=1", settings.playground, "everybody gets the page at GET playground, which asks for a key."),
        ("CORS_ORIGINS=*", "*" in settings.cors_origins, "pages of every origin may call, and read the answers."),
    )
    return [
        About("settings").warning(f"{setting}: {effect}", "Remove it from the app's settings, unless that is meant.")
        for setting, on, effect in exposing
        if on
    ]


def alerts(settings: Settings) -> Sequence[Finding]:
    """A finding if nobody is told of alerts."""
    if not settings.alerts_reach_nobody:
        return []
    return [
        About("settings").warning(
            "Alerts reach nobody: the deployment has no address and no action group for them.",
            "azd env set ALERT_EMAIL <address>, or ALERT_ACTION_GROUP_ID <resource id>, then azd provision.",
        )
    ]


def streams(settings: Settings) -> Sequence[Finding]:
    """A finding if STREAM_EVENTS is set without the package STREAMS, unless LOCAL is set."""
    if not settings.stream_events or settings.local or can_stream():
        return []
    return [
        About("settings").fault(
            f"STREAM_EVENTS=1 needs {STREAMS}, which is not installed: events leave in one body.",
            "Deploy with the requirements.txt of this version.",
        )
    ]


def imposed(settings: Settings, indexes: Collection[str]) -> Sequence[Finding]:
    """The findings about imposed filters; `indexes` are those of agents, sources and INDEX_FIELDS."""
    about, rules = About("access", "imposed filters"), settings.imposed_filters
    if not rules:
        return []
    names = {name.lower() for name in rules}
    findings = []
    if "*" not in names and (ruleless := sorted(name for name in indexes if name.lower() not in names)):
        findings.append(
            about.fault(
                f"No rule of IMPOSED_FILTERS covers {', '.join(ruleless[:5])}, so every call there is refused.",
                f'Add a rule, or open it to every caller: "{ruleless[0]}": {{}}',
            )
        )
    by_key = bool(settings.query_keys) and any(
        not rule.with_key for index_rules in rules.values() for rule in index_rules
    )
    if by_key:
        findings.append(
            about.warning("A rule has no withKey: callers with a key are refused there.", "Add withKey to the rule.")
        )
    return findings or [about.ok("Every index that agents search has its rules.")]


def entra(settings: Settings) -> Sequence[Finding]:
    """The findings about the settings of Entra ID."""
    if settings.entra_tenant_id is None:
        return [ENTRA.skipped("ENTRA_TENANT_ID names no tenant: no tokens are accepted.")]
    findings = []
    if foreign := sorted(OTHERS_AUDIENCES.intersection(audience.rstrip("/") for audience in settings.entra_audience)):
        findings.append(
            ENTRA.fault(
                f"ENTRA_AUDIENCE has {foreign[0]}, another service's: tokens that are sent there open this one.",
                "Register an app for this service: ENTRA_AUDIENCE=api://<its client id>",
            )
        )
    for setting, names in (
        ("ENTRA_MANAGE_ROLES", settings.entra_manage_roles),
        ("ENTRA_RETRIEVE_ROLES", settings.entra_retrieve_roles),
    ):
        if usual := sorted(USUAL_SCOPES.intersection(names)):
            state = ENTRA.fault if setting == "ENTRA_MANAGE_ROLES" else ENTRA.warning
            findings.append(
                state(
                    f"{setting} has {usual[0]}, which every user who signs in to a client has.",
                    f"Use an app role that is assigned, as the default {setting} does.",
                )
            )
    if roles_for_both := sorted({*settings.entra_manage_roles} & {*settings.entra_retrieve_roles}):
        findings.append(
            ENTRA.fault(
                f"{roles_for_both[0]} may retrieve and manage: whoever may ask may change agents.", "Use two app roles."
            )
        )
    return findings


async def tenant(settings: Settings, ask: Ask) -> Sequence[Finding]:
    """Checks that the tenant's OpenID configuration can be read, and that it names this tenant. Its host also has the
    signing keys of tokens."""
    if settings.entra_tenant_id is None:
        return []
    authority = f"{settings.entra_authority}/{settings.entra_tenant_id}"
    reply = await ask(HttpRequest(method="GET", url=f"{authority}/v2.0/.well-known/openid-configuration"))
    if isinstance(reply, Silence):
        return [
            ENTRA.fault(
                f"No keys from {urlsplit(authority).hostname} ({reply.why}): no token is accepted.",
                "Correct ENTRA_AUTHORITY, and let the app reach it.",
            )
        ]
    document = read(reply)
    if reply.status != 200:
        return [_no_tenant(reply, document)]
    issuer = member(document, "issuer")
    if not isinstance(issuer, str) or settings.entra_tenant_id not in issuer:
        return [
            ENTRA.fault(
                f"What answers at {urlsplit(authority).hostname} is no authority of this tenant.",
                "Correct ENTRA_AUTHORITY: https://login.microsoftonline.com, or that of another cloud.",
            )
        ]
    return [ENTRA.ok(f"The tenant is there, and its keys are at {urlsplit(authority).hostname}.")]


def _no_tenant(reply: HttpAnswer, document: Any) -> Finding:
    message = member(document, "error_description")
    code = re.search(r"AADSTS\d{2,10}", message) if isinstance(message, str) else None
    authorities = ", ".join(f"https://{cloud.authority}" for cloud in clouds.CLOUDS)
    if code and code[0] in {"AADSTS90002", "AADSTS900023", "AADSTS900021"}:
        return ENTRA.fault(
            f"There is no tenant ENTRA_TENANT_ID in this cloud ({code[0]}): no token is accepted.",
            f"Correct ENTRA_TENANT_ID, or ENTRA_AUTHORITY for a tenant of another cloud: one of {authorities}",
        )
    words = plain(message) if isinstance(message, str) else "without a reason that can be read"
    return ENTRA.fault(
        f"The tenant's keys cannot be read ({reply.status}): {words}",
        f"Correct ENTRA_TENANT_ID and ENTRA_AUTHORITY, one of {authorities}",
    )
