"""Removes the secrets from the members that only the ingestion of the search service reads. This service never calls
the ingestion, so it does not need the secrets."""

import re
from collections.abc import Mapping
from typing import Any, Final

REDACTED: Final = "<redacted>"
"""The text that replaces a secret. A caller may send this text back as the value of a secret."""

_NAME: Final = re.compile(r"key|secret|password|pwd|token|credential$", re.IGNORECASE)
"""Matches the names of members that may contain a secret."""

_CONNECTION: Final = re.compile(r"connection_?string", re.IGNORECASE)
_IN_TEXT: Final = re.compile(r"(key|secret|password|pwd|token|code|sig|signature|sas)\s*=", re.IGNORECASE)
_OPEN_PARTS: Final = frozenset(
    {
        "resourceid",
        "sharepointonlineendpoint",
        "applicationid",
        "tenantid",
        "federatedcredentialobjectid",
        "database",
        "initial catalog",
        "server",
        "data source",
        "connection timeout",
        "accountname",
        "defaultendpointsprotocol",
        "endpointsuffix",
    }
)
"""The names of the parts of a connection string that are not secret."""


def without_secrets(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members. `<redacted>` replaces each text that is a secret or may contain a secret."""
    return {name: _open(name, value) for name, value in members.items()}


def _open(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [_open(name, item) for item in value]
    return REDACTED if isinstance(value, str) and _is_secret(name, value) else value


def _is_secret(name: str, text: str) -> bool:
    if _CONNECTION.search(name):
        return not all(_is_open(part) for part in text.split(";"))
    return bool(_NAME.search(name) or _IN_TEXT.search(text))


def _is_open(part: str) -> bool:
    name, equals, value = part.partition("=")
    if not equals:
        return not part.strip()
    return name.strip().lower() in _OPEN_PARTS and not any(quote in value for quote in "\"'{}")
