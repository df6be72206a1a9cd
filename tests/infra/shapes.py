"""Resource types, and whether a body has the shape that the published management models give it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.infra import outside
from tests.infra.described import DESCRIBED

WEB: Final = "azure.mgmt.web.models"
STORAGE: Final = "azure.mgmt.storage.models"
NETWORK: Final = "azure.mgmt.network.models"
DNS: Final = "azure.mgmt.privatedns.models"
COGNITIVE: Final = "azure.mgmt.cognitiveservices.models"
MONITOR: Final = "azure.mgmt.monitor.models"
INSIGHTS: Final = "azure.mgmt.applicationinsights"

TYPES: Final = {
    "Microsoft.Resources/resourceGroups": ("2025-04-01", "azure.mgmt.resource.resources.models", "ResourceGroup"),
    "Microsoft.ManagedIdentity/userAssignedIdentities": ("2024-11-30", "azure.mgmt.msi.v2024_11_30.models", "Identity"),
    "Microsoft.Authorization/roleAssignments": (
        "2022-04-01",
        "azure.mgmt.authorization.v2022_04_01.models",
        "RoleAssignmentCreateParameters",
    ),
    "Microsoft.Storage/storageAccounts": ("2026-04-01", STORAGE, "StorageAccountCreateParameters"),
    "Microsoft.Storage/storageAccounts/blobServices": ("2026-04-01", STORAGE, "BlobServiceProperties"),
    "Microsoft.Storage/storageAccounts/blobServices/containers": ("2026-04-01", STORAGE, "BlobContainer"),
    "Microsoft.Storage/storageAccounts/tableServices": ("2026-04-01", STORAGE, "TableServiceProperties"),
    "Microsoft.Storage/storageAccounts/tableServices/tables": ("2026-04-01", STORAGE, "Table"),
    "Microsoft.Search/searchServices": ("2025-05-01", "azure.mgmt.search.models", "SearchService"),
    "Microsoft.CognitiveServices/accounts": ("2026-07-01", COGNITIVE, "Account"),
    "Microsoft.CognitiveServices/accounts/deployments": ("2026-07-01", COGNITIVE, "Deployment"),
    "Microsoft.OperationalInsights/workspaces": ("2026-03-01", "azure.mgmt.loganalytics.models", "Workspace"),
    "Microsoft.Insights/components": ("2020-02-02", f"{INSIGHTS}.v2020_02_02.models", "ApplicationInsightsComponent"),
    "Microsoft.Insights/workbooks": ("2023-06-01", f"{INSIGHTS}.v2023_06_01.models", "Workbook"),
    "Microsoft.Insights/actionGroups": ("2023-01-01", MONITOR, "ActionGroupResource"),
    "Microsoft.Insights/metricAlerts": ("2026-01-01", MONITOR, "MetricAlertResource"),
    "Microsoft.Insights/diagnosticSettings": ("2021-05-01-preview", "", "DiagnosticSettings"),
    "Microsoft.Insights/privateLinkScopes": ("2023-06-01-preview", "", "PrivateLinkScope"),
    "Microsoft.Insights/privateLinkScopes/scopedResources": ("2023-06-01-preview", "", "ScopedResource"),
    "Microsoft.Insights/scheduledQueryRules": ("2026-03-01", MONITOR, "ScheduledQueryRuleResource"),
    "Microsoft.Insights/webtests": ("2022-06-15", f"{INSIGHTS}.v2022_06_15.models", "WebTest"),
    "Microsoft.Consumption/budgets": ("2026-06-01", "azure.mgmt.consumption.models", "Budget"),
    "Microsoft.Web/serverfarms": ("2025-03-01", WEB, "AppServicePlan"),
    "Microsoft.Web/sites": ("2025-03-01", WEB, "Site"),
    "Microsoft.Web/sites/basicPublishingCredentialsPolicies": (
        "2025-03-01",
        WEB,
        "CsmPublishingCredentialsPoliciesEntity",
    ),
    "Microsoft.Web/sites/config/appsettings": ("2025-03-01", WEB, "StringDictionary"),
    "Microsoft.Web/sites/config/authsettingsV2": ("2025-03-01", WEB, "SiteAuthSettingsV2"),
    "Microsoft.Network/networkSecurityGroups": ("2025-09-01", NETWORK, "NetworkSecurityGroup"),
    "Microsoft.Network/virtualNetworks": ("2025-09-01", NETWORK, "VirtualNetwork"),
    "Microsoft.Network/virtualNetworks/subnets": ("2025-09-01", NETWORK, "Subnet"),
    "Microsoft.Network/privateEndpoints": ("2025-09-01", NETWORK, "PrivateEndpoint"),
    "Microsoft.Network/privateEndpoints/privateDnsZoneGroups": ("2025-09-01", NETWORK, "PrivateDnsZoneGroup"),
    "Microsoft.Network/privateDnsZones": ("2024-06-01", DNS, "PrivateZone"),
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks": ("2024-06-01", DNS, "VirtualNetworkLink"),
}
"""Each type with the one api-version that is used of it, and its model: of a module, whose models may be of a later
version, or of `DESCRIBED`."""

READ_AS: Final = {"Microsoft.Storage/storageAccounts": (STORAGE, "StorageAccount")}
"""Types whose answers have another model than their bodies."""

_ENVELOPE: Final = frozenset({"name", "scope", "parent", "dependsOn"})
_ALWAYS_REQUIRED: Final = frozenset({"name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """`type` is "text", "integer", "number", "boolean", "any", or one of {"object"}, {"list"}, {"map"}, {"enum"}."""

    type: Any
    readonly: bool
    required: bool


class Shapes:
    """The shapes of all known types."""

    def __init__(self) -> None:
        written = [(name, module, model) for name, (_, module, model) in TYPES.items() if module]
        read = [(f"{name} read", module, model) for name, (module, model) in READ_AS.items()]
        found = outside.shapes((*written, *read))
        described = {name: model for name, (_, module, model) in TYPES.items() if not module}
        self._roots: Mapping[str, str] = {**found["roots"], **described}
        self._classes: Mapping[str, Mapping[str, Any]] = {**found["classes"], **DESCRIBED}

    def problems(self, type_name: str, body: Mapping[str, Any]) -> Iterator[str]:
        """What of a resource's body the model does not have, may not be set, is missing, or has another value."""
        for name in sorted(_ALWAYS_REQUIRED - set(body)):
            yield f"{name} is missing"
        own = {key: value for key, value in body.items() if key not in _ENVELOPE}
        yield from self._object(self._roots[type_name], own, "")

    def within(self, type_name: str, path: list[str]) -> Any:
        """The type of a member of a resource, as it can be read from it. Raises KeyError."""
        found: Any = {"object": self._roots.get(f"{type_name} read", self._roots[type_name])}
        for part in path:
            if not isinstance(found, dict) or not ({"object", "map"} & set(found)):
                raise KeyError(part)
            found = found["map"] if "map" in found else self._classes[found["object"]][part]["type"]
        return found

    def _object(self, name: str, value: Mapping[str, Any], path: str) -> Iterator[str]:
        known = {key: Member(**one) for key, one in self._classes[name].items()}
        for key in sorted(set(value) - set(known)):
            yield f"{path}{key} is not a property of it{_meant(key, known)}"
        for key, member in known.items():
            if key in value and member.readonly:
                yield f"{path}{key} is read-only"
            elif key in value:
                yield from self._value(member.type, value[key], f"{path}{key}")
            elif member.required and key not in _ENVELOPE:
                yield f"{path}{key} is missing"

    def _value(self, expected: Any, value: Any, path: str) -> Iterator[str]:
        if value is None or expected == "any":
            return
        if isinstance(expected, str):
            if not isinstance(value, _PYTHON[expected]) or (expected != "boolean" and isinstance(value, bool)):
                yield f"{path} must be {expected}, it is {value!r}"
        elif "enum" in expected:
            if value not in expected["enum"]:
                yield f"{path} is {value!r}, not one of {', '.join(expected['enum'])}"
        elif "list" in expected:
            yield from self._list(expected["list"], value, path)
        elif not isinstance(value, dict):
            yield f"{path} must be an object, it is {value!r}"
        elif "map" in expected:
            for key, one in value.items():
                yield from self._value(expected["map"], one, f"{path}.{key}")
        else:
            yield from self._object(expected["object"], value, f"{path}.")

    def _list(self, expected: Any, value: Any, path: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{path} must be a list, it is {value!r}"
            return
        for index, one in enumerate(value):
            yield from self._value(expected, one, f"{path}[{index}]")


_PYTHON: Final[Mapping[str, Any]] = {"text": str, "integer": int, "number": (int, float), "boolean": bool}


def _meant(key: str, known: Mapping[str, Member]) -> str:
    close = next((name for name in known if name.lower() == key.lower()), None)
    return f" (it is {close})" if close else ""
