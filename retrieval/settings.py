"""The settings, read once. An empty value is an unset one; what is missing or malformed is named all at once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from retrieval.errors import NotConfigured
from retrieval.model import IndexFields

LOCAL_KEY: Final = "local-dev-key"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One value a setting; the README's table says what each means. Keys and secrets stay out of `repr`."""

    azure_search_endpoint: str | None = None
    azure_search_api_key: str | None = field(default=None, repr=False)
    azure_openai_endpoint: str | None = None
    azure_openai_deployment: str | None = None
    azure_openai_api_key: str | None = field(default=None, repr=False)
    azure_client_id: str | None = None
    api_keys: tuple[str, ...] = field(default=(), repr=False)
    admin_api_keys: tuple[str, ...] = field(default=(), repr=False)
    agents_file: str | None = None
    index_fields: Mapping[str, IndexFields] = field(default_factory=dict)
    max_concurrent_requests: int = 64
    local: bool = False
    local_corpora: Mapping[str, str] = field(default_factory=dict)
    in_azure: bool = False

    @property
    def query_keys(self) -> tuple[str, ...]:
        """The keys that may retrieve: query keys and admin keys; locally a well-known one where none is set."""
        return (*self.api_keys, *self.admin_api_keys) or ((LOCAL_KEY,) if self.local else ())

    @property
    def stand_in(self) -> bool:
        """Whether the local search service stands in for Azure AI Search."""
        return self.local and self.azure_search_endpoint is None


def read(environ: Mapping[str, str]) -> Settings:
    """Settings from an environment. Raises NotConfigured with every problem found."""
    settings, problems = gather(environ)
    if problems:
        raise NotConfigured(problems)
    return settings


def gather(environ: Mapping[str, str]) -> tuple[Settings, tuple[str, ...]]:
    """Settings from an environment, and everything that is missing or malformed, a sentence each."""
    reader = _Reader({name: value.strip() for name, value in environ.items() if value.strip()})
    settings = Settings(
        azure_search_endpoint=reader.endpoint("AZURE_SEARCH_ENDPOINT"),
        azure_search_api_key=reader.secret("AZURE_SEARCH_API_KEY"),
        azure_openai_endpoint=reader.endpoint("AZURE_OPENAI_ENDPOINT"),
        azure_openai_deployment=reader.text("AZURE_OPENAI_DEPLOYMENT"),
        azure_openai_api_key=reader.secret("AZURE_OPENAI_API_KEY"),
        azure_client_id=reader.text("AZURE_CLIENT_ID"),
        api_keys=reader.names("API_KEYS"),
        admin_api_keys=reader.names("ADMIN_API_KEYS"),
        agents_file=reader.text("AGENTS_FILE"),
        index_fields=reader.index_fields("INDEX_FIELDS"),
        max_concurrent_requests=reader.count("MAX_CONCURRENT_REQUESTS", default=64),
        local=reader.flag("LOCAL"),
        local_corpora=reader.texts("LOCAL_CORPORA"),
        in_azure=reader.text("WEBSITE_INSTANCE_ID") is not None,
    )
    return settings, (*reader.problems, *_conflicts(settings))


def address_fault(address: str) -> str | None:
    """What is wrong with the address of a service: it must be https, or http on loopback; None when all is well."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    whole = bool(host) and address.isascii() and parts.scheme in {"https", "http"}
    if not whole or parts.query or parts.fragment or parts.username:
        return "must be an address such as https://example.search.windows.net."
    if parts.scheme == "http" and host not in LOOPBACK:
        return "must be https; plain http is accepted for loopback addresses only."
    return None


def secret_fault(key: str) -> str | None:
    """What is wrong with a key that is to travel in a header; None when all is well."""
    return None if key.isascii() and key.isprintable() else "must hold printable ASCII characters only."


def _conflicts(settings: Settings) -> tuple[str, ...]:
    problems = []
    if settings.local and settings.in_azure:
        problems.append("LOCAL=1 is for a developer's machine; it is refused where WEBSITE_INSTANCE_ID exists.")
    if not settings.local and settings.azure_search_endpoint is None:
        problems.append("AZURE_SEARCH_ENDPOINT is missing: https://<service>.search.windows.net, or LOCAL=1 locally.")
    if settings.azure_search_endpoint is not None and settings.local_corpora:
        problems.append("Corpora are loaded into the local search service; AZURE_SEARCH_ENDPOINT takes its place.")
    if settings.azure_search_endpoint is not None and settings.agents_file is None:
        problems.append("AGENTS_FILE is missing: the path of a JSON array of agent definitions.")
    if not settings.local and not settings.query_keys:
        problems.append("API_KEYS is missing: without a key every call is refused.")
    if (settings.azure_openai_endpoint is None) != (settings.azure_openai_deployment is None):
        problems.append("AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_DEPLOYMENT go together; one of them is missing.")
    return tuple(problems)


class _Reader:
    """Reads one environment and remembers what was wrong with it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.problems: list[str] = []

    def text(self, name: str) -> str | None:
        return self._environ.get(name)

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self._environ.get(name, "").split(",") if part.strip())

    def flag(self, name: str) -> bool:
        value = self._environ.get(name, "0").lower()
        if value not in {"0", "1", "true", "false"}:
            self.problems.append(f"{name} must be 1 or 0.")
        return value in {"1", "true"}

    def count(self, name: str, *, default: int) -> int:
        value = self._environ.get(name)
        if value is None:
            return default
        if value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= 10_000:
            return int(value)
        self.problems.append(f"{name} must be a whole number from 1 to 10000.")
        return default

    def endpoint(self, name: str) -> str | None:
        """An https address; plain http for loopback only, since keys and tokens travel with every call."""
        value = self._environ.get(name)
        if value is None:
            return None
        if fault := address_fault(value):
            self.problems.append(f"{name} {fault}")
        return value.rstrip("/")

    def secret(self, name: str) -> str | None:
        """A key as it can stand in a header."""
        value = self._environ.get(name)
        if value is not None and (fault := secret_fault(value)):
            self.problems.append(f"{name} {fault}")
        return value

    def texts(self, name: str) -> Mapping[str, str]:
        """A JSON object whose values are strings."""
        found = self._object(name)
        texts = {key: value for key, value in found.items() if isinstance(value, str) and key and value}
        if len(texts) != len(found):
            self.problems.append(f"{name} must be a JSON object of strings.")
        return texts

    def index_fields(self, name: str) -> Mapping[str, IndexFields]:
        """A JSON object: index name to the roles of its fields."""
        fields: dict[str, IndexFields] = {}
        for index, roles in self._object(name).items():
            try:
                fields[index] = _index_fields(roles)
            except (TypeError, ValueError) as error:
                self.problems.append(f"{name}: index {index!r}: {error}.")
        return fields

    def _object(self, name: str) -> Mapping[str, object]:
        try:
            value = json.loads(self._environ.get(name, "{}"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self.problems.append(f"{name} must be a JSON object.")
            return {}
        return value


_ROLES: Final = frozenset({"key", "semanticConfiguration", "title", "terms", "content", "vectors"})


def _index_fields(roles: object) -> IndexFields:
    if not isinstance(roles, dict) or not isinstance(roles.get("key"), str):
        raise TypeError('it must be an object with at least "key"')
    if unknown := sorted(set(roles) - _ROLES):
        raise ValueError(f"unknown member {unknown[0]!r}")
    return IndexFields(
        key=roles["key"],
        semantic_configuration=_name(roles.get("semanticConfiguration")),
        title=_name(roles.get("title")),
        terms=_names(roles.get("terms", [])),
        content=_names(roles.get("content", [])),
        vectors=_names(roles.get("vectors", [])),
    )


def _name(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError('"title" and "semanticConfiguration" must be strings')


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise TypeError('"terms", "content" and "vectors" must be lists of field names')
