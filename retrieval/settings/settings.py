"""The settings. An empty value counts as unset. `NotConfigured` names all missing and malformed settings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured, Problem
from retrieval.model.caller import ImposedRule, Limit
from retrieval.model.definitions import Effort, IndexFields, IngestedKind, PublishedIndex
from retrieval.model.mcp_hosts import McpHost, McpHosts
from retrieval.model.model_studio import ModelStudioBase
from retrieval.settings.environment import Grounding, Reader
from retrieval.settings.misspelt_settings import misspelt

LOCAL_KEY: Final = "local-dev-key"
LOCAL_ADMIN_KEY: Final = "local-admin-key"
BUILT_IN: Final = frozenset({LOCAL_KEY, LOCAL_ADMIN_KEY})
LOCAL_ACCESS_KEY: Final = "local-ak"
LOCAL_SECRET: Final = "local-secret"
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
class Settings:
    """One value for each setting. docs/operating/settings.md explains the settings. `repr` does not show keys and
    secrets."""

    azure_search_endpoint: str | None = None
    azure_search_api_key: str | None = field(default=None, repr=False)
    azure_search_audience: str = SEARCH_AUDIENCE
    azure_openai_endpoint: str | None = None
    azure_openai_deployment: str | None = None
    azure_openai_api_key: str | None = field(default=None, repr=False)
    azure_openai_audience: str = OPENAI_AUDIENCE
    azure_authority_host: str | None = None
    azure_client_id: str | None = None
    api_keys: tuple[str, ...] = field(default=(), repr=False)
    admin_api_keys: tuple[str, ...] = field(default=(), repr=False)
    base_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    base_roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entra_tenant_id: str | None = None
    entra_authority: str = ENTRA
    entra_audience: tuple[str, ...] = ()
    entra_retrieve_roles: tuple[str, ...] = ("Agents.Retrieve",)
    entra_manage_roles: tuple[str, ...] = ("Agents.Manage",)
    app_service_auth: bool = False
    user_token_agents: tuple[str, ...] = ()
    imposed_filters: Mapping[str, tuple[ImposedRule, ...]] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    log_content: bool = False
    log_calls_percent: int = 100
    trace_steps: bool = False
    stream_events: bool = False
    agents_file: str | None = None
    agents_store: str | None = None
    agent_effort: Effort | None = None
    grounding: Grounding | None = None
    allowed_models: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    index_fields: Mapping[str, IndexFields] = field(default_factory=dict)
    model_studio_bases: Mapping[str, ModelStudioBase] = field(default_factory=dict)
    model_studio_access_key_id: str | None = field(default=None, repr=False)
    model_studio_access_key_secret: str | None = field(default=None, repr=False)
    mcp_hosts: tuple[McpHost, ...] = ()
    mcp_headers: Mapping[McpHost, Mapping[str, str]] = field(default_factory=dict, repr=False)
    mcp_unmarked_tools: tuple[str, ...] = ()
    workspaces: Mapping[tuple[str, str], PublishedIndex] = field(default_factory=dict)
    access_keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    public_hosts: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    base_path: str = ""
    playground: bool = False
    max_concurrent_requests: int = 64
    wait_for_late_searches: bool = False
    strict_api_versions: bool = False
    local: bool = False
    local_corpora: Mapping[str, str] = field(default_factory=dict)
    local_data: str | None = None
    local_kind: IngestedKind | None = None
    local_language: str = "en"
    local_model: str | None = None
    local_ranker: str | None = None
    embeddings_url: str | None = None
    embeddings_api_key: str | None = field(default=None, repr=False)
    chat_url: str | None = None
    chat_model: str | None = None
    chat_api_key: str | None = field(default=None, repr=False)
    chat_context: int | None = None
    chat_calls: int = 1
    in_azure: bool = False
    platform_auth: bool = False

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
        built_in = self.local and not BUILT_IN.isdisjoint((*self.query_keys, *self.admin_keys))
        return frozenset(self.public_hosts) if built_in else None

    @property
    def mcp_servers(self) -> McpHosts:
        """The hosts whose MCP servers may be called."""
        return McpHosts(hosts=self.mcp_hosts, local=self.local)

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
    def signing_keys(self) -> Mapping[str, str]:
        """The secrets of the access keys that may sign calls, by key id. With LOCAL=1, this is a built-in key if there
        are no access keys, and no credentials besides the built-in ones."""
        built_in = self.local and not self.has_credentials_beside_built_in
        return self.access_keys or ({LOCAL_ACCESS_KEY: LOCAL_SECRET} if built_in else {})

    @property
    def shows_playground(self) -> bool:
        """Whether `GET playground` shows the playground: with PLAYGROUND=1 or LOCAL=1."""
        return self.playground or self.local

    @property
    def uses_local_search(self) -> bool:
        """Whether the local search service replaces Azure AI Search."""
        return self.local and self.azure_search_endpoint is None


def read(environ: Mapping[str, str]) -> Settings:
    """The settings from an environment. Raises NotConfigured with all problems."""
    settings, problems = gather(environ)
    if problems:
        raise NotConfigured(problems)
    return settings


def gather(environ: Mapping[str, str]) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings from an environment, and all problems with them."""
    values = {name: value.strip() for name, value in environ.items() if value.strip()}
    reader = Reader(values)
    mcp_hosts = reader.mcp_hosts("MCP_HOSTS")
    settings = Settings(
        azure_search_endpoint=reader.endpoint("AZURE_SEARCH_ENDPOINT"),
        azure_search_api_key=reader.secret("AZURE_SEARCH_API_KEY"),
        azure_search_audience=reader.endpoint("AZURE_SEARCH_AUDIENCE") or SEARCH_AUDIENCE,
        azure_openai_endpoint=reader.endpoint("AZURE_OPENAI_ENDPOINT"),
        azure_openai_deployment=reader.text("AZURE_OPENAI_DEPLOYMENT"),
        azure_openai_api_key=reader.secret("AZURE_OPENAI_API_KEY"),
        azure_openai_audience=reader.endpoint("AZURE_OPENAI_AUDIENCE") or OPENAI_AUDIENCE,
        azure_authority_host=reader.authority("AZURE_AUTHORITY_HOST"),
        azure_client_id=reader.text("AZURE_CLIENT_ID"),
        api_keys=reader.names("API_KEYS"),
        admin_api_keys=reader.names("ADMIN_API_KEYS"),
        base_keys=reader.lists("BASE_KEYS"),
        base_roles=reader.lists("BASE_ROLES"),
        entra_tenant_id=reader.tenant("ENTRA_TENANT_ID"),
        entra_authority=reader.endpoint("ENTRA_AUTHORITY") or ENTRA,
        entra_audience=reader.names("ENTRA_AUDIENCE"),
        entra_retrieve_roles=reader.names("ENTRA_RETRIEVE_ROLES") or ("Agents.Retrieve",),
        entra_manage_roles=reader.names("ENTRA_MANAGE_ROLES") or ("Agents.Manage",),
        app_service_auth=reader.flag("APP_SERVICE_AUTH"),
        user_token_agents=reader.names("USER_TOKEN_AGENTS"),
        imposed_filters=reader.imposed_filters("IMPOSED_FILTERS"),
        limits=reader.limits("LIMITS"),
        log_content=reader.flag("LOG_CONTENT"),
        log_calls_percent=reader.count("LOG_CALLS_PERCENT", default=100, most=100),
        trace_steps=reader.flag("TRACE_STEPS"),
        stream_events=reader.flag("STREAM_EVENTS"),
        agents_file=reader.text("AGENTS_FILE"),
        agents_store=reader.store("AGENTS_STORE"),
        agent_effort=reader.effort("AGENT_EFFORT"),
        grounding=reader.grounding("GROUNDING"),
        allowed_models=reader.models("ALLOWED_MODELS"),
        index_fields=reader.index_fields("INDEX_FIELDS"),
        model_studio_bases=reader.model_studio_bases("MODEL_STUDIO_BASES"),
        model_studio_access_key_id=reader.text("MODEL_STUDIO_ACCESS_KEY_ID"),
        model_studio_access_key_secret=reader.text("MODEL_STUDIO_ACCESS_KEY_SECRET"),
        mcp_hosts=mcp_hosts,
        mcp_headers=reader.header_values("MCP_HEADERS", McpHosts(hosts=mcp_hosts)),
        mcp_unmarked_tools=reader.names("MCP_UNMARKED_TOOLS"),
        workspaces=reader.workspaces("WORKSPACES"),
        access_keys=reader.texts("ACCESS_KEYS"),
        public_hosts=reader.names("PUBLIC_HOSTS"),
        cors_origins=reader.origins("CORS_ORIGINS"),
        base_path=reader.path("BASE_PATH"),
        playground=reader.flag("PLAYGROUND"),
        max_concurrent_requests=reader.count("MAX_CONCURRENT_REQUESTS", default=64),
        wait_for_late_searches=reader.flag("WAIT_FOR_LATE_SEARCHES"),
        strict_api_versions=reader.flag("STRICT_API_VERSIONS"),
        local=reader.flag("LOCAL"),
        local_corpora=reader.texts("LOCAL_CORPORA"),
        local_data=reader.text("LOCAL_DATA"),
        local_kind=reader.kind("LOCAL_KIND"),
        local_language=reader.text("LOCAL_LANGUAGE") or "en",
        local_model=reader.text("LOCAL_MODEL"),
        local_ranker=reader.text("LOCAL_RANKER"),
        embeddings_url=reader.endpoint("EMBEDDINGS_URL"),
        embeddings_api_key=reader.secret("EMBEDDINGS_API_KEY"),
        chat_url=reader.endpoint("CHAT_URL", plain=True),
        chat_model=reader.text("CHAT_MODEL"),
        chat_api_key=reader.secret("CHAT_API_KEY"),
        chat_context=reader.count("CHAT_CONTEXT", default=None, most=10_000_000),
        chat_calls=reader.count("CHAT_CALLS", default=1, most=64),
        in_azure=reader.text("WEBSITE_INSTANCE_ID") is not None,
        platform_auth=(reader.text("WEBSITE_AUTH_ENABLED") or "").lower() in {"1", "true"},
    )
    return settings, (
        *reader.problems,
        *misspelt(values),
        *_conflicts(settings),
        *_chat_conflicts(settings),
        *_access_conflicts(settings),
        *_limit_conflicts(settings),
    )


def _conflicts(settings: Settings) -> Iterator[Problem]:
    if settings.local and settings.in_azure:
        yield Problem(
            "LOCAL",
            "LOCAL=1 is for a developer's machine; it is refused where WEBSITE_INSTANCE_ID exists.",
            "unfitting",
        )
    if not settings.local and settings.azure_search_endpoint is None and not settings.model_studio_bases:
        yield _missing("AZURE_SEARCH_ENDPOINT", "https://<service>.search.windows.net, or LOCAL=1 locally.")
    has_search = settings.azure_search_endpoint is not None or bool(settings.model_studio_bases)
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
    key = (settings.model_studio_access_key_id, settings.model_studio_access_key_secret)
    if settings.model_studio_bases and None in key:
        yield Problem(
            "MODEL_STUDIO_BASES",
            "MODEL_STUDIO_BASES needs MODEL_STUDIO_ACCESS_KEY_ID and MODEL_STUDIO_ACCESS_KEY_SECRET.",
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
