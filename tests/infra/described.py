"""Shapes of resource types that no management package of Azure's has any more, by hand.

Source: generated/monitor/microsoft.insights/2021-05-01-preview and 2023-06-01-preview of
https://github.com/Azure/bicep-types-az, with the members that may be written.
"""

from collections.abc import Mapping
from typing import Any, Final


def _member(type_name: Any, *, required: bool = False) -> Mapping[str, Any]:
    return {"type": type_name, "readonly": False, "required": required}


_MODE: Final = {"enum": ["Open", "PrivateOnly"]}

DESCRIBED: Final[Mapping[str, Mapping[str, Any]]] = {
    "DiagnosticSettings": {"properties": _member({"object": "DiagnosticSettings.properties"}, required=True)},
    "DiagnosticSettings.properties": {
        "logAnalyticsDestinationType": _member("text"),
        "logs": _member({"list": {"object": "LogSettings"}}),
        "metrics": _member({"list": {"object": "MetricSettings"}}),
        "storageAccountId": _member("text"),
        "workspaceId": _member("text"),
    },
    "LogSettings": {
        "category": _member("text"),
        "categoryGroup": _member("text"),
        "enabled": _member("boolean", required=True),
    },
    "MetricSettings": {"category": _member("text"), "enabled": _member("boolean", required=True)},
    "PrivateLinkScope": {
        "location": _member("text", required=True),
        "tags": _member({"map": "text"}),
        "properties": _member({"object": "PrivateLinkScope.properties"}, required=True),
    },
    "PrivateLinkScope.properties": {
        "accessModeSettings": _member({"object": "AccessModeSettings"}, required=True),
    },
    "AccessModeSettings": {
        "ingestionAccessMode": _member(_MODE, required=True),
        "queryAccessMode": _member(_MODE, required=True),
    },
    "ScopedResource": {"properties": _member({"object": "ScopedResource.properties"})},
    "ScopedResource.properties": {
        "kind": _member({"enum": ["Metrics", "Resource"]}),
        "linkedResourceId": _member("text"),
        "subscriptionLocation": _member("text"),
    },
}
