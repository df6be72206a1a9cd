"""What Azure accepts: lengths and letters of names, numbers, places, addresses, and what a plan has.

Names: https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules; each other table has its
page. What the published models say of a value by themselves is in `shapes`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Network, ip_network
from typing import Any, Final

from tests.infra import policy
from tests.infra.policy import ACCOUNT, OPENAI, SEARCH, SITE, WORKSPACE, Given
from tests.infra.tree import Declaration, File
from tests.infra.values import Resource, at, bare, leaves, of

PLAN: Final = "Microsoft.Web/serverfarms"
RULES: Final = "Microsoft.Network/networkSecurityGroups"
NETWORK: Final = "Microsoft.Network/virtualNetworks"
ENDPOINT: Final = "Microsoft.Network/privateEndpoints"
BUDGET: Final = "Microsoft.Consumption/budgets"
ALERTS: Final = ("Microsoft.Insights/metricAlerts", "Microsoft.Insights/scheduledQueryRules")

_GUID: Final = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NETWORKED: Final = r"[A-Za-z0-9]([\w.-]{0,78}\w)?"
_NAMED: Final = r"[^#*&+:<>?@%{}\\/|]{0,259}[^#*&+:<>?@%{}\\/|. ]"
NAMES: Final[Mapping[str, str]] = {
    "Microsoft.Resources/resourceGroups": r"[\w.()-]{0,89}[\w()-]",
    "Microsoft.ManagedIdentity/userAssignedIdentities": r"[A-Za-z0-9][\w-]{2,127}",
    "Microsoft.Authorization/roleAssignments": _GUID,
    ACCOUNT: r"[a-z0-9]{3,24}",
    f"{ACCOUNT}/blobServices": "default",
    f"{ACCOUNT}/tableServices": "default",
    f"{ACCOUNT}/blobServices/containers": r"(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]",
    f"{ACCOUNT}/tableServices/tables": r"[A-Za-z][A-Za-z0-9]{2,62}",
    SEARCH: r"(?!.*--)[a-z0-9]{2}([a-z0-9-]{0,57}[a-z0-9])?",
    OPENAI: r"[A-Za-z0-9][A-Za-z0-9-]{0,62}[A-Za-z0-9]",
    f"{OPENAI}/deployments": r"[A-Za-z0-9][\w.-]{0,62}[\w]",
    WORKSPACE: r"[A-Za-z0-9][A-Za-z0-9-]{2,61}[A-Za-z0-9]",
    policy.INSIGHTS: r"[^%&?/\\]{0,259}[^%&?/\\. ]",
    "Microsoft.Insights/workbooks": _GUID,
    "Microsoft.Insights/actionGroups": _NAMED,
    "Microsoft.Insights/metricAlerts": _NAMED,
    "Microsoft.Insights/scheduledQueryRules": _NAMED,
    "Microsoft.Insights/webtests": _NAMED,
    "Microsoft.Insights/diagnosticSettings": _NAMED,
    "Microsoft.Insights/privateLinkScopes": r"[\w.()-]{0,254}[\w()-]",
    BUDGET: r"[A-Za-z0-9_-]{1,63}",
    PLAN: r"[A-Za-z0-9-]{1,60}",
    SITE: r"[A-Za-z0-9][A-Za-z0-9-]{0,58}[A-Za-z0-9]",
    RULES: _NETWORKED,
    NETWORK: r"[A-Za-z0-9][\w.-]{0,62}\w",
    ENDPOINT: r"[A-Za-z0-9][\w.-]{0,62}\w",
    "Microsoft.Network/privateDnsZones": r"([a-z0-9-]{1,63}\.){1,33}[a-z0-9-]{1,63}",
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks": _NETWORKED,
}

WORLDWIDE: Final = frozenset(
    {
        "Microsoft.Insights/actionGroups", "Microsoft.Insights/metricAlerts", "Microsoft.Insights/privateLinkScopes",
        "Microsoft.Network/privateDnsZones", "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
    }
)  # fmt: skip
"""Types without a region: their location is `global`."""

RANGES: Final[Mapping[str, Mapping[str, tuple[float, float]]]] = {
    f"{ACCOUNT}/blobServices": {"deleteRetentionPolicy.days": (1, 365)},
    SEARCH: {"replicaCount": (1, 12)},
    WORKSPACE: {"retentionInDays": (30, 730)},
    SITE: {
        "functionAppConfig.scaleAndConcurrency.maximumInstanceCount": (1, 1_000),
        "functionAppConfig.scaleAndConcurrency.triggers.http.perInstanceConcurrency": (1, 1_000),
    },
    "Microsoft.Insights/webtests": {"ValidationRules.SSLCertRemainingLifetimeCheck": (1, 365)},
    "Microsoft.Insights/metricAlerts": {"severity": (0, 4)},
    "Microsoft.Insights/scheduledQueryRules": {"severity": (0, 4)},
    BUDGET: {"amount": (1, 10**12)},
}
CHOICES: Final[Mapping[str, Mapping[str, frozenset[Any]]]] = {
    SEARCH: {"partitionCount": frozenset({1, 2, 3, 4, 6, 12})},
    SITE: {"functionAppConfig.scaleAndConcurrency.instanceMemoryMB": frozenset({512, 2048, 4096})},
    "Microsoft.Insights/webtests": {
        "Frequency": frozenset({300, 600, 900}),
        "Timeout": frozenset({30, 60, 90, 120}),
    },
}
LENGTHS: Final[Mapping[str, int]] = {
    "groupShortName": 12, "description": 1_024, "displayName": 256, "customSubDomainName": 64, "emailAddress": 254,
}  # fmt: skip
"""Of a member with this name, in any resource."""

UNKNOWN_TO_FLEX: Final[Mapping[str, frozenset[str]]] = {
    PLAN: frozenset(
        "elasticScaleEnabled hyperV isSpot isXenon maximumElasticWorkerCount perSiteScaling targetWorkerCount "
        "targetWorkerSizeId workerTierName".split()
    ),
    SITE: frozenset(
        "containerSize dailyMemoryTimeQuota vnetContentShareEnabled vnetImagePullEnabled vnetRouteAllEnabled "
        "siteConfig.alwaysOn siteConfig.appCommandLine siteConfig.appSettings siteConfig.azureStorageAccounts "
        "siteConfig.functionAppScaleLimit siteConfig.functionsRuntimeScaleMonitoringEnabled siteConfig.javaVersion "
        "siteConfig.linuxFxVersion siteConfig.minimumElasticInstanceCount siteConfig.netFrameworkVersion "
        "siteConfig.nodeVersion siteConfig.numberOfWorkers siteConfig.phpVersion siteConfig.powerShellVersion "
        "siteConfig.preWarmedInstanceCount siteConfig.pythonVersion siteConfig.use32BitWorkerProcess "
        "siteConfig.vnetRouteAllEnabled siteConfig.websiteTimeZone siteConfig.windowsFxVersion "
        "siteConfig.healthCheckPath".split()
    ),
}
"""https://learn.microsoft.com/azure/azure-functions/functions-app-settings#flex-consumption-plan-deprecations"""

RESERVED: Final = 5
"""Addresses of each subnet that Azure keeps: https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq"""

MONITOR: Final = 11
"""Addresses of an endpoint of Azure Monitor, whose subnet is a /27 at least:
https://learn.microsoft.com/azure/azure-monitor/fundamentals/private-link-vm-kubernetes#network-subnet-size"""


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the resources of one scenario Azure would refuse."""
    made = [one for one in resources if not one.existing]
    for one in made:
        for rule in _ONE:
            yield from (f"{one}: {problem}" for problem in rule(one, given))
    yield from _subnets(made)
    yield from _room(made, given)


def parameters(main: File) -> Iterator[str]:
    """Each number has a least and a most, each text a longest, so that a wrong value is refused before it costs."""
    for one in main.of("parameter"):
        bounds = set(one.decorators) & {"minValue", "maxValue", "maxLength", "allowed"}
        if one.type == "int" and "allowed" not in bounds and {"minValue", "maxValue"} - bounds:
            yield f"main.bicep:{one.line}: {one.name} has no least and most value"
        if one.type == "string" and "secure" not in one.decorators and not bounds & {"maxLength", "allowed"}:
            yield f"main.bicep:{one.line}: {one.name} has no longest value"


def bounds(main: File) -> Iterator[Mapping[str, Any]]:
    """Scenarios of the least and the most that each number may be, and of the longest texts."""
    for one in main.of("parameter"):
        for name in ("minValue", "maxValue") if one.type == "int" else ():
            if name in one.decorators:
                yield {**_BESIDE, one.name: _argument(one, name)}
    for name in ("environmentName", "modelDeployment", "resourceGroupName", "runbook"):
        longest = main.named(name)
        if longest is not None and "maxLength" in longest.decorators:
            yield {**_BESIDE, name: "x" * _argument(longest, "maxLength")}


_BESIDE: Final = {
    "searchSku": "standard", "searchPartitions": 1, "maxConcurrentRequests": 10_000, "maximumInstanceCount": 1_000,
    "budgetStart": "2026-12-01",
}  # fmt: skip
"""With these, the most of each number is refused by no other number."""


def _argument(one: Declaration, name: str) -> int:
    text = one.decorators[name].part("arguments").children[0]
    number = text.children[-1].text if text.children else text.text
    return -int(number) if text.kind == "unary_expression" else int(number)


def _name(one: Resource, given: Given) -> Iterator[str]:
    name = bare(one.body.get("name"))
    if one.type in NAMES and not re.fullmatch(NAMES[one.type], name):
        yield f"{name!r} is no name of a {one.type}"


def _place(one: Resource, given: Given) -> Iterator[str]:
    expected = "global" if one.type in WORLDWIDE else given["location"]
    if one.body.get("location", expected) != expected:
        yield f"its location is {one.body['location']!r}, not {expected!r}"


def _numbers(one: Resource, given: Given) -> Iterator[str]:
    for path, (least, most) in RANGES.get(one.type, {}).items():
        value = at(one.properties, path)
        if value is not None and not least <= value <= most:
            yield f"{path} is {value}, not from {least} to {most}"
    for path, choices in CHOICES.get(one.type, {}).items():
        value = at(one.properties, path)
        if value is not None and value not in choices:
            yield f"{path} is {value}, not one of {sorted(choices)}"
    for path, value in leaves(one.properties):
        most = LENGTHS.get(path.rpartition(".")[2], 0)
        if most and isinstance(value, str) and len(bare(value)) > most:
            yield f"{path} has {len(bare(value))} letters, more than {most}"


def _tags(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations"""
    tags = one.body.get("tags", {})
    longest = 128 if one.type == ACCOUNT else 512
    if len(tags) > 50 or any(len(name) > longest or len(str(value)) > 256 for name, value in tags.items()):
        yield "it has more or longer tags than Azure keeps"


def _search(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/search/search-limits-quotas-capacity"""
    if one.type != SEARCH:
        return
    sku, found = at(one.body, "sku.name"), one.properties
    replicas, partitions = found.get("replicaCount", 1), found.get("partitionCount", 1)
    if replicas * partitions > 36 or (sku == "basic" and max(replicas, partitions) > 3):
        yield f"{replicas} replicas and {partitions} partitions are more than {sku} has"
    if found.get("disableLocalAuth") is True and found.get("authOptions") is not None:
        yield "authOptions are refused where keys are off"
    if found.get("disableLocalAuth") is False and at(found, "authOptions.aadOrApiKey") is None:
        yield "authOptions must take tokens beside keys: the app has an identity"
    if found.get("hostingMode", "default").lower() != "default" and sku != "standard3":
        yield "only standard3 hosts many small indexes"


def _workspace(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/azure-monitor/logs/cost-logs"""
    if one.type != WORKSPACE:
        return
    sku = str(at(one.properties, "sku.name"))
    if sku != "PerGB2018" and not (sku == "CapacityReservation" and at(one.properties, "sku.capacityReservationLevel")):
        yield f"a workspace of the sku {sku} cannot be made any more"
    quota = at(one.properties, "workspaceCapping.dailyQuotaGb")
    if quota is not None and quota != -1 and quota <= 0:
        yield f"its daily cap is {quota}: more than 0, or -1 for none"


def _storage(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/storage/common/storage-account-overview#types-of-storage-accounts"""
    if one.type != ACCOUNT:
        return
    sku = str(at(one.body, "sku.name"))
    if one.body.get("kind") != "StorageV2" or sku.startswith("Premium"):
        yield f"{one.body.get('kind')} of {sku} has not both blobs and tables"
    if one.properties.get("isHnsEnabled") is True:
        yield "the Functions host keeps its blobs in no hierarchy"


def _budget(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update"""
    if one.type != BUDGET:
        return
    if not re.fullmatch(r"\d{4}-\d\d-01(T.*)?", str(at(one.properties, "timePeriod.startDate"))):
        yield "a budget begins on the first day of a month"
    notifications: Mapping[str, Mapping[str, Any]] = one.properties.get("notifications", {})
    if len(notifications) > 5:
        yield "a budget tells of five things at most"
    for name, each in notifications.items():
        if not 1 <= each["threshold"] <= 1_000:
            yield f"{name}: its threshold is {each['threshold']} %, not from 1 to 1,000"


def _flex(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan"""
    for path, _ in leaves(one.properties):
        unknown = [name for name in UNKNOWN_TO_FLEX.get(one.type, ()) if f"{path}.".startswith(f"{name}.")]
        yield from (f"{name} is not a property of the Flex Consumption plan" for name in unknown)
    if one.type == PLAN:
        if at(one.body, "sku.tier") not in {None, "FlexConsumption"} or one.properties.get("reserved") is not True:
            yield "the plan is Flex Consumption, which runs on Linux (reserved)"
        if at(one.body, "sku.capacity") is not None:
            yield "the plan has no capacity of its own"
    if one.type == SITE:
        if set(str(one.body.get("kind")).split(",")) != {"functionapp", "linux"}:
            yield "it is a function app on Linux"
        scale = at(one.properties, "functionAppConfig.scaleAndConcurrency") or {}
        for warm in scale.get("alwaysReady", []):
            if not re.fullmatch("http|blob|durable|function:.+", warm["name"]):
                yield f"{warm['name']} is no group of functions that is kept ready"
            if warm["instanceCount"] > scale["maximumInstanceCount"]:
                yield "it keeps more instances ready than it has"


def _security_rules(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#security-rules"""
    if one.type != RULES:
        return
    rules: Sequence[Mapping[str, Any]] = one.properties.get("securityRules", [])
    order = [(each["properties"]["direction"], each["properties"]["priority"]) for each in rules]
    if len(set(order)) < len(order):
        yield "two rules of one direction have one priority"
    yield from (f"the priority {number} is not from 100 to 4,096" for _, number in order if not 100 <= number <= 4_096)


def _subnets(made: Sequence[Resource]) -> Iterator[str]:
    for one in of(made, NETWORK):
        spaces = [_addresses(text) for text in at(one.properties, "addressSpace.addressPrefixes") or []]
        subnets = {each["name"]: _addresses(at(each, "properties.addressPrefix")) for each in one.properties["subnets"]}
        if None in spaces or None in subnets.values():
            yield f"{one}: {[text for text, found in subnets.items() if found is None]} has no addresses as x.x.x.0/n"
            continue
        known = {name: found for name, found in subnets.items() if found is not None}
        for name, found in known.items():
            if not any(space is not None and found.subnet_of(space) for space in spaces):
                yield f"{one}: the subnet {name} is outside the network"
            if any(other != name and found.overlaps(known[other]) for other in known):
                yield f"{one}: the subnet {name} overlaps another"


def _room(made: Sequence[Resource], given: Given) -> Iterator[str]:
    """Each subnet has room for what stands in it. Of the app, a /27 takes 40 instances:
    https://learn.microsoft.com/azure/azure-functions/flex-consumption-how-to#configure-virtual-network-integration"""
    for one in of(made, NETWORK):
        subnets = {each["name"]: _addresses(at(each, "properties.addressPrefix")) for each in one.properties["subnets"]}
        app, ends = subnets.get("app"), subnets.get("endpoints")
        if app is not None and app.prefixlen > 27:
            yield f"{one}: the subnet of the app is smaller than a /27"
        groups = [
            group
            for each in of(made, ENDPOINT)
            for link in each.properties["privateLinkServiceConnections"]
            for group in link["properties"]["groupIds"]
        ]
        needed = sum(MONITOR if group == "azuremonitor" else 1 for group in groups)
        if ends is not None and ends.num_addresses - RESERVED < needed:
            yield f"{one}: the subnet of endpoints has {ends.num_addresses - RESERVED} addresses, {needed} are needed"


def _addresses(text: Any) -> IPv4Network | None:
    try:
        found = ip_network(bare(text))
    except ValueError:
        return None
    return found if isinstance(found, IPv4Network) and 2 <= found.prefixlen <= 29 else None


_ONE: Final[Sequence[Callable[[Resource, Given], Iterator[str]]]] = (
    _name, _place, _numbers, _tags, _search, _workspace, _storage, _budget, _flex, _security_rules,
)  # fmt: skip
