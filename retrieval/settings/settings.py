"""The settings. An empty value counts as unset. `NotConfigured` names all missing and malformed settings."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import Field, dataclass, field, fields, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from retrieval.errors import NotConfigured, Problem
from retrieval.model.caller import ImposedRule, Limit
from retrieval.model.definitions import Effort, IndexFields, IngestedKind
from retrieval.settings.environment import Grounding, Reader, by_member, setting
from retrieval.settings.misspelt_names import misspelt

LOCAL_KEY: Final = "local-dev-key"
LOCAL_ADMIN_KEY: Final = "local-admin-key"
BUILT_IN: Final = frozenset({LOCAL_KEY, LOCAL_ADMIN_KEY})
ENTRA: Final = "https://login.microsoftonline.com"
SEARCH_AUDIENCE: Final = "https://search.azure.com"
OPENAI_AUDIENCE: Final = "https://cognitiveservices.azure.com"
LOCAL_STORE: Final = ".local/agents.json"
STREAMS: Final = "azurefunctions-extensions-http-fastapi"
"""The package with which a Functions host sends events as they happen."""

_CHECKOUT: Final = Path(__file__).resolve().parents[2]
APP_ROOT: Final = _CHECKOUT if (_CHECKOUT / "host.json").is_file() else Path()
"""Where the paths in settings begin: the folder of the app, or where the process stands if the app was installed among
other packages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSettings:
    """The settings that a room brings. Its fields are made with `setting`."""

    @property
    def secrets(self) -> Collection[str]:
        """The values that nobody may see."""
        return ()

    @property
    def searched(self) -> Collection[str]:
        """The names of what the settings let this service search, beside the indexes of the search service."""
        return ()

    @property
    def conflicts(self) -> Iterable[Problem]:
        """The problems with values that do not fit one another."""
        return ()


Part = TypeVar("Part", bound=RoomSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One value for each setting that every deployment has. docs/operating/settings.md explains the settings. `repr`
    does not show keys and secrets. `rooms` are the settings that rooms bring, by class (`compose/rooms.py`)."""

    azure_search_endpoint: str | None = setting(Reader.endpoint)
    azure_search_api_key: str | None = setting(Reader.secret, hidden=True)
    azure_search_audience: str = setting(Reader.endpoint, SEARCH_AUDIENCE)
    azure_openai_endpoint: str | None = setting(Reader.endpoint)
    azure_openai_deployment: str | None = setting(Reader.text)
    azure_openai_api_key: str | None = setting(Reader.secret, hidden=True)
    azure_openai_audience: str = setting(Reader.endpoint, OPENAI_AUDIENCE)
    azure_authority_host: str | None = setting(Reader.authority)
    azure_client_id: str | None = setting(Reader.text)
    api_keys: tuple[str, ...] = setting(Reader.names, hidden=True, protects=True)
    admin_api_keys: tuple[str, ...] = setting(Reader.names, hidden=True, protects=True)
    base_keys: Mapping[str, tuple[str, ...]] = setting(Reader.lists, hidden=True, protects=True)
    base_roles: Mapping[str, tuple[str, ...]] = setting(Reader.lists, protects=True)
    entra_tenant_id: str | None = setting(Reader.tenant, protects=True)
    entra_authority: str = setting(Reader.endpoint, ENTRA)
    entra_audience: tuple[str, ...] = setting(Reader.names, protects=True)
    entra_retrieve_roles: tuple[str, ...] = setting(Reader.names, ("Agents.Retrieve",), protects=True)
    entra_manage_roles: tuple[str, ...] = setting(Reader.names, ("Agents.Manage",), protects=True)
    app_service_auth: bool = setting(Reader.flag)
    user_token_agents: tuple[str, ...] = setting(Reader.names, protects=True)
    imposed_filters: Mapping[str, tuple[ImposedRule, ...]] = setting(by_member("RULES"), protects=True)
    limits: Mapping[str, Limit] = setting(by_member("LIMIT"), protects=True)
    log_content: bool = setting(Reader.flag)
    log_calls_percent: int = setting(partial(Reader.count, most=100), 100)
    trace_steps: bool = setting(Reader.flag)
    alerts_reach_nobody: bool = setting(Reader.flag)
    stream_events: bool = setting(Reader.flag)
    heartbeat: bool = setting(Reader.flag)
    agents_file: str | None = setting(Reader.text)
    agents_store: str | None = setting(Reader.store)
    agent_effort: Effort | None = setting(partial(Reader.choice, choices=get_args(Effort)))
    grounding: Grounding | None = setting(partial(Reader.choice, choices=get_args(Grounding)))
    allowed_models: Mapping[str, tuple[str, ...]] = setting(Reader.models)
    index_fields: Mapping[str, IndexFields] = setting(by_member("ROLES"))
    public_hosts: tuple[str, ...] = setting(Reader.names)
    cors_origins: tuple[str, ...] = setting(Reader.origins)
    base_path: str = setting(Reader.path)
    playground: bool = setting(Reader.flag)
    max_concurrent_requests: int = setting(Reader.count, 64, protects=True)
    wait_for_late_searches: bool = setting(Reader.flag)
    strict_api_versions: bool = setting(Reader.flag)
    local: bool = setting(Reader.flag)
    local_corpora: Mapping[str, str] = setting(by_member("TEXT"))
    local_data: str | None = setting(Reader.text)
    local_kind: IngestedKind | None = setting(partial(Reader.choice, choices=get_args(IngestedKind)))
    local_language: str = setting(Reader.text, "en")
    local_model: str | None = setting(Reader.text)
    local_ranker: str | None = setting(Reader.text)
    embeddings_url: str | None = setting(Reader.endpoint)
    embeddings_api_key: str | None = setting(Reader.secret, hidden=True)
    chat_url: str | None = setting(partial(Reader.endpoint, plain=True))
    chat_model: str | None = setting(Reader.text)
    chat_api_key: str | None = setting(Reader.secret, hidden=True)
    chat_context: int | None = setting(partial(Reader.count, most=10_000_000))
    chat_calls: int = setting(partial(Reader.count, most=64), 1)
    in_azure: bool = setting(lambda reader, _: reader.text("WEBSITE_INSTANCE_ID") is not None)
    platform_auth: bool = setting(
        lambda reader, _: (reader.text("WEBSITE_AUTH_ENABLED") or "").lower() in {"1", "true"}
    )
    rooms: Mapping[type[RoomSettings], RoomSettings] = field(default_factory=dict)

    def of(self, kind: type[Part]) -> Part:
        """The settings of a room; their defaults if they were not read."""
        part = self.rooms.get(kind)
        return part if isinstance(part, kind) else kind()

    @property
    def query_keys(self) -> tuple[str, ...]:
        """The keys that may retrieve. With LOCAL=1 and without a configured credential this is LOCAL_KEY."""
        return self.api_keys or ((LOCAL_KEY,) if self.local and not self.has_credentials else ())

    @property
    def admin_keys(self) -> tuple[str, ...]:
        """The keys that may retrieve and manage. With LOCAL=1 and without a configured credential this is
        LOCAL_ADMIN_KEY."""
        return self.admin_api_keys or ((LOCAL_ADMIN_KEY,) if self.local and not self.has_credentials else ())

    @property
    def _takes_tokens(self) -> bool:
        return self.entra_tenant_id is not None and (self.app_service_auth or bool(self.entra_audience))

    @property
    def has_credentials(self) -> bool:
        """Whether API keys or Entra ID sign-in are configured."""
        return bool(self.api_keys or self.admin_api_keys or self.base_keys) or self._takes_tokens

    @property
    def has_credentials_beside_built_in(self) -> bool:
        """Whether a credential other than the built-in keys is configured. The sample settings contain the built-in
        keys."""
        return bool({*self.api_keys, *self.admin_api_keys} - BUILT_IN or self.base_keys) or self._takes_tokens

    @property
    def answered_hosts(self) -> frozenset[str] | None:
        """The hosts, in addition to loopback, that the Host header of a call may name. They are limited only while a
        built-in key is accepted. None means that every host is allowed."""
        return frozenset(self.public_hosts) if self.accepts_built_in_keys else None

    @property
    def accepts_built_in_keys(self) -> bool:
        """Whether a call may have a key that everybody knows."""
        return self.local and not BUILT_IN.isdisjoint((*self.query_keys, *self.admin_keys))

    @property
    def searched_by_rooms(self) -> Set[str]:
        """The names of what the settings of rooms let this service search."""
        return {name for part in self.rooms.values() for name in part.searched}

    @property
    def store(self) -> str | None:
        """The store for agents that callers create: a table endpoint, a file or `memory`; None if there is no store.
        Without AGENTS_STORE, the local search service's agents are in LOCAL_DATA, or in memory.
        """
        if self.agents_store is not None or not self.local:
            return self.agents_store
        if not self.uses_local_search:
            return LOCAL_STORE
        return "memory" if self.local_data is None else f"{self.local_data}/agents.json"

    @property
    def shows_playground(self) -> bool:
        """Whether `GET playground` shows the playground: with PLAYGROUND=1 or LOCAL=1."""
        return self.playground or self.local

    @property
    def uses_local_search(self) -> bool:
        """Whether the local search service replaces Azure AI Search."""
        return self.local and self.azure_search_endpoint is None


def variables(*kinds: type[Settings] | type[RoomSettings]) -> dict[str, Field[Any]]:
    """The fields of classes of settings, by the variable that each is read from."""
    read_fields = (of for kind in kinds for of in fields(kind) if "read" in of.metadata)
    return {of.name.upper(): of for of in read_fields}


def protecting(*rooms: type[RoomSettings]) -> Set[str]:
    """The settings without which more people get in."""
    return {name for name, of in variables(Settings, *rooms).items() if of.metadata["protects"]}


def read(environ: Mapping[str, str], *rooms: type[RoomSettings]) -> Settings:
    """The settings from an environment. Raises NotConfigured with all problems."""
    settings, problems = gather(environ, *rooms)
    if problems:
        raise NotConfigured(problems)
    return settings


def gather(environ: Mapping[str, str], *rooms: type[RoomSettings]) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings from an environment, with those of the rooms, and all problems with them."""
    values = {name: value.strip() for name, value in environ.items() if value.strip()}
    reader = Reader(values)
    settings = Settings(**_read(Settings, reader), rooms={room: room(**_read(room, reader)) for room in rooms})
    return settings, (
        *reader.problems,
        *misspelt(values, protecting(*rooms)),
        *_conflicts(settings),
        *(problem for part in settings.rooms.values() for problem in part.conflicts),
        *_chat_conflicts(settings),
        *_access_conflicts(settings),
        *_limit_conflicts(settings),
    )


def _read(kind: type[Settings] | type[RoomSettings], reader: Reader) -> dict[str, Any]:
    return {of.name: of.metadata["read"](reader, name) for name, of in variables(kind).items()}


def invalid(problems: Iterable[Problem]) -> Set[str]:
    """The settings without a valid value, in lower case."""
    return {problem.setting.lower() for problem in problems if problem.fault != "unfitting"}


def usable(settings: Settings, problems: Iterable[Problem]) -> Settings:
    """The settings. Each one without a valid value has its default, because a key must not be sent to a wrong
    address."""
    names = invalid(problems)
    rooms = {kind: replace(part, **_usual(kind, names)) for kind, part in settings.rooms.items()}
    return replace(settings, **_usual(Settings, names), rooms=rooms)


def _usual(kind: type[Settings] | type[RoomSettings], names: Set[str]) -> dict[str, Any]:
    """The defaults of the named settings of a class."""
    usual = kind()
    return {of.name: getattr(usual, of.name) for of in variables(kind).values() if of.name in names}


def _conflicts(settings: Settings) -> Iterator[Problem]:
    if settings.local and settings.in_azure:
        yield Problem(
            "LOCAL",
            "LOCAL=1 is for a developer's machine; it is refused where WEBSITE_INSTANCE_ID exists.",
            "unfitting",
        )
    if not settings.local and settings.azure_search_endpoint is None and not settings.searched_by_rooms:
        yield _missing("AZURE_SEARCH_ENDPOINT", "https://<service>.search.windows.net, or LOCAL=1 locally.")
    has_search = settings.azure_search_endpoint is not None or bool(settings.searched_by_rooms)
    if settings.azure_search_endpoint is not None and settings.local_corpora:
        yield Problem(
            "AZURE_SEARCH_ENDPOINT",
            "Corpora need the local search service, and AZURE_SEARCH_ENDPOINT replaces that service.",
            "unfitting",
        )
    if settings.azure_search_endpoint is not None and settings.local_data is not None:
        yield Problem(
            "LOCAL_DATA", "LOCAL_DATA is the local search service's, and AZURE_SEARCH_ENDPOINT replaces that service."
        )
    if has_search and settings.agents_file is None and settings.agents_store is None:
        yield _missing("AGENTS_FILE", "the path of a JSON array of agent definitions; or AGENTS_STORE.")
    if settings.in_azure and settings.agents_store is not None and "://" not in settings.agents_store:
        yield Problem(
            "AGENTS_STORE", "AGENTS_STORE must be a table endpoint in Azure, where nothing else is shared by instances."
        )
    if (settings.azure_openai_endpoint is None) != (settings.azure_openai_deployment is None):
        yield Problem(
            "AZURE_OPENAI_ENDPOINT",
            "AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_DEPLOYMENT go together; one of them is missing.",
            "missing",
        )


def _chat_conflicts(settings: Settings) -> Iterator[Problem]:
    """The problems with the chat server of a developer's machine."""
    if settings.chat_url is None and settings.chat_model is None:
        return
    if settings.chat_url is None:
        yield _missing("CHAT_URL", "the address of the server that has CHAT_MODEL, such as http://localhost:11434/v1.")
    if settings.chat_model is None:
        yield _missing("CHAT_MODEL", "the name by which the server of CHAT_URL lists its model.")
    if not settings.local:
        yield Problem("CHAT_URL", "CHAT_URL and CHAT_MODEL are for a developer's machine, with LOCAL=1.", "unfitting")
    if settings.azure_openai_endpoint is not None:
        yield Problem("CHAT_URL", "CHAT_URL takes the place of AZURE_OPENAI_ENDPOINT: set one of them.", "unfitting")


def _access_conflicts(settings: Settings) -> Iterator[Problem]:
    tenant = settings.entra_tenant_id is not None
    if not settings.local and not settings.has_credentials:
        yield _missing("API_KEYS", "without a key (or ENTRA_TENANT_ID) every call is refused.")
    if tenant and not settings.entra_audience and not settings.app_service_auth:
        yield _missing("ENTRA_AUDIENCE", "the audience of tokens for this service, such as api://<client id>.")
    if not tenant and (settings.entra_audience or settings.app_service_auth or settings.base_roles):
        yield _missing("ENTRA_TENANT_ID", "ENTRA_AUDIENCE, APP_SERVICE_AUTH and BASE_ROLES need it.")
    if settings.app_service_auth and not settings.platform_auth:
        yield Problem(
            "APP_SERVICE_AUTH",
            "APP_SERVICE_AUTH=1 is for where the platform authenticates; WEBSITE_AUTH_ENABLED is not true.",
            "unfitting",
        )


def _limit_conflicts(settings: Settings) -> Iterator[Problem]:
    """A problem for each entry of LIMITS that limits no caller: its name is a secret key itself, or names a query or
    admin key that does not exist. Names of keys in BASE_KEYS (`query key 1 of <base>`) are not checked."""
    numbered = {"query": settings.query_keys, "admin": settings.admin_keys}
    named = {f"{kind} key {number}" for kind, keys in numbered.items() for number in range(1, len(keys) + 1)}
    secrets = {*settings.api_keys, *settings.admin_api_keys}.union(*settings.base_keys.values())
    for name in settings.limits:
        if name in secrets:
            yield Problem("LIMITS", "LIMITS has a key itself: name it by its place, such as 'query key 1'.")
        elif name.startswith(("query key", "admin key")) and " of " not in name and name not in named:
            yield Problem("LIMITS", f"LIMITS: there is no {name[:100]!r}.", "unfitting")


def _missing(setting: str, value: str) -> Problem:
    return Problem(setting, f"{setting} is missing: {value}", "missing")


def can_stream() -> bool:
    """Whether the package STREAMS seems to be installed: whether its top-level module, `azurefunctions`, can be
    found."""
    return find_spec("azurefunctions") is not None
