"""The functions of Bicep that the templates use, as far as their value can be known without Azure."""

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

RUNTIME: Final = "‹"
"""Begins what only a deployment knows, such as an object id; ends with ›."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """`most` arguments; None for any number."""

    least: int
    most: int | None
    value: Callable[..., Any]


def _union(*values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for one in values for key, value in one.items()}


def _unique(*values: Any) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:13]


def _guid(*values: Any) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, repr(values)))


def _environment() -> dict[str, Any]:
    return {
        "authentication": {"loginEndpoint": "https://login.microsoftonline.com/"},
        "suffixes": {"storage": "core.windows.net"},
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _place(*names: str) -> dict[str, str]:
    """A resource group, of the subscription that is deployed to where no other is named."""
    subscription, group = names if len(names) == 2 else (SUBSCRIPTION, *names)
    return {"subscription": subscription, "group": group}


SUBSCRIPTION: Final = "00000000-0000-0000-0000-00000000000a"
TENANT: Final = "00000000-0000-0000-0000-00000000000b"

FUNCTIONS: Final[Mapping[str, Function]] = {
    "concat": Function(least=1, most=None, value=lambda *values: "".join(map(str, values))),
    "contains": Function(least=2, most=2, value=lambda within, one: one in within),
    "empty": Function(least=1, most=1, value=lambda value: not value),
    "environment": Function(least=0, most=0, value=_environment),
    "first": Function(least=1, most=1, value=lambda values: values[0]),
    "guid": Function(least=1, most=None, value=_guid),
    "int": Function(least=1, most=1, value=int),
    "join": Function(least=2, most=2, value=lambda values, between: between.join(values)),
    "json": Function(least=1, most=1, value=json.loads),
    "last": Function(least=1, most=1, value=lambda values: values[-1]),
    "length": Function(least=1, most=1, value=len),
    "replace": Function(least=3, most=3, value=str.replace),
    "padLeft": Function(least=2, most=3, value=lambda text, width, fill=" ": str(text).rjust(width, fill)),
    "resourceGroup": Function(least=1, most=2, value=_place),
    "split": Function(least=2, most=2, value=str.split),
    "string": Function(least=1, most=1, value=_text),
    "subscription": Function(
        least=0, most=0, value=lambda: {"id": f"/subscriptions/{SUBSCRIPTION}", "subscriptionId": SUBSCRIPTION}
    ),
    "subscriptionResourceId": Function(least=2, most=None, value=lambda *parts: "/".join(["/subscription", *parts])),
    "tenant": Function(least=0, most=0, value=lambda: {"tenantId": TENANT}),
    "toLower": Function(least=1, most=1, value=str.lower),
    "trim": Function(least=1, most=1, value=str.strip),
    "union": Function(least=2, most=None, value=_union),
    "uniqueString": Function(least=1, most=None, value=_unique),
}

FILE_FUNCTIONS: Final = frozenset({"loadTextContent"})
