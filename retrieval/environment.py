"""An environment as the settings are read from it: one method a kind of value, and what was wrong with any of them."""

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from retrieval import knowledge_base
from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata
from retrieval.filters.tree import NotEmpty, Path
from retrieval.knowledge_base import KnowledgeBase
from retrieval.model import ImposedRule, IndexFields, PublishedIndex

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


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


class Reader:
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
        return self._address(name, value)

    def store(self, name: str) -> str | None:
        """A path, `memory`, or an address under the rule of endpoints."""
        value = self._environ.get(name)
        return self._address(name, value) if value is not None and "://" in value else value

    def models(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """A JSON object: endpoint to a list of deployments."""
        models: dict[str, tuple[str, ...]] = {}
        for address, deployments in self._object(name).items():
            listed = deployments if isinstance(deployments, list) else []
            texts = tuple(deployment for deployment in listed if isinstance(deployment, str) and deployment)
            if not texts or len(texts) != len(listed):
                self.problems.append(f'{name} must be a JSON object such as {{"https://r.openai.azure.com": ["gpt"]}}.')
            models[self._address(name, address)] = texts
        return models

    def secret(self, name: str) -> str | None:
        """A key as it can stand in a header."""
        value = self._environ.get(name)
        if value is not None and (fault := secret_fault(value)):
            self.problems.append(f"{name} {fault}")
        return value

    def _address(self, name: str, value: str) -> str:
        if fault := address_fault(value):
            self.problems.append(f"{name} {fault}")
        return value.rstrip("/")

    def tenant(self, name: str) -> str | None:
        """A GUID, in lower case as issuers have it."""
        value = self._environ.get(name)
        if value is not None and not _GUID.fullmatch(value):
            self.problems.append(f"{name} must be the tenant's id, a GUID.")
        return None if value is None else value.lower()

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

    def imposed_filters(self, name: str) -> Mapping[str, tuple[ImposedRule, ...]]:
        """A JSON object: index name, or `*`, to an object of rules by field."""
        rules: dict[str, tuple[ImposedRule, ...]] = {}
        for index, fields in self._object(name).items():
            try:
                rules[index] = _imposed_rules(fields)
            except (TypeError, ValueError, UnsupportedFilter) as error:
                self.problems.append(f"{name}: index {index!r}: {error}.")
        return rules

    def knowledge_bases(self, name: str) -> Mapping[str, KnowledgeBase]:
        """A JSON object: the name that agents use, to the knowledge base."""
        bases: dict[str, KnowledgeBase] = {}
        for base, value in self._object(name).items():
            try:
                found = knowledge_base.read(value)
            except ValueError as error:
                self.problems.append(f"{name}: {base!r}: {error}.")
                continue
            self._address(f"{name}: {base!r}: the endpoint", found.endpoint)
            if urlsplit(found.endpoint).path:
                self.problems.append(f"{name}: {base!r}: the endpoint must not have a path.")
            bases[base] = found
        return bases

    def workspaces(self, name: str) -> Mapping[tuple[str, str], PublishedIndex]:
        """A JSON object: workspace id to index id to the agent's index that they stand for."""
        published: dict[tuple[str, str], PublishedIndex] = {}
        for workspace, indexes in self._object(name).items():
            for id, value in indexes.items() if isinstance(indexes, dict) else [("", indexes)]:
                try:
                    published[workspace, id] = _published(workspace, id, value)
                except ValueError as error:
                    self.problems.append(f"{name}: {workspace!r}: index {id!r}: {error}.")
        return published

    def _object(self, name: str) -> Mapping[str, object]:
        try:
            value = json.loads(self._environ.get(name, "{}"), object_pairs_hook=_distinct)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self.problems.append(f"{name} must be a JSON object.")
            return {}
        return value


_GUID: Final = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Of two members of one name JSON keeps one, and nobody would miss the other."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is given twice")
    return members


def _imposed_rules(fields: object) -> tuple[ImposedRule, ...]:
    if not isinstance(fields, dict):
        raise TypeError('it must be an object such as {"tenant_id": {"claim": "tid"}}')
    return tuple(_imposed_rule(field, rule) for field, rule in fields.items())


def _imposed_rule(field: str, rule: object) -> ImposedRule:
    if not isinstance(rule, dict) or not isinstance(rule.get("claim"), str) or not rule["claim"]:
        raise TypeError(f'the rule of the field {field!r} must be an object with at least "claim"')
    if unknown := sorted(set(rule) - {"claim", "collection", "withKey"}):
        raise ValueError(f"unknown member {unknown[0]!r}")
    path, collection, with_key = tuple(field.split("/")), rule.get("collection", False), rule.get("withKey", [])
    odata.write(NotEmpty(Path(path)))
    values = [with_key] if isinstance(with_key, str) else with_key
    if not isinstance(collection, bool):
        raise TypeError('"collection" must be true or false')
    if not isinstance(values, list) or not all(isinstance(value, str) and value for value in values):
        raise TypeError('"withKey" must be a text or a list of texts')
    return ImposedRule(path=path, claim=rule["claim"], collection=collection, with_key=tuple(values))


_WORKSPACE: Final = re.compile(r"(?:llm|ws)[-_][A-Za-z0-9_-]{1,100}")
_PUBLISHED: Final = frozenset({"agent", "index", "fields"})


def _published(workspace: str, id: str, value: object) -> PublishedIndex:
    if not _WORKSPACE.fullmatch(workspace):
        raise ValueError("the id of a workspace begins with llm- or ws_, then letters, digits, - and _")
    if not id or not isinstance(value, dict) or not {"agent", "index"} <= set(value) <= _PUBLISHED:
        raise ValueError('it must be an object of "agent", "index" and "fields"')
    agent, index = value["agent"], value["index"]
    if not isinstance(agent, str) or not isinstance(index, str):
        raise ValueError('"agent" and "index" must be texts')
    from retrieval.filters import field_map

    fields = field_map.read(value.get("fields", {}))
    return PublishedIndex(workspace=workspace, id=id, agent=agent, index=index, fields=fields)


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
