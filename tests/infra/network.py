"""The closed network: what is shut, what is reached from within, who resolves the names, and what the rules let in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.infra.functions import SUBSCRIPTION
from tests.infra.policy import ACCOUNT, INSIGHTS, OPENAI, SEARCH, SITE, WORKSPACE, Given, group_of, workspaces
from tests.infra.values import Resource, at, bare, ids, of

NETWORK: Final = "Microsoft.Network/virtualNetworks"
RULES: Final = "Microsoft.Network/networkSecurityGroups"
ENDPOINT: Final = "Microsoft.Network/privateEndpoints"
MONITOR_SCOPE: Final = "Microsoft.Insights/privateLinkScopes"
ZONE: Final = "Microsoft.Network/privateDnsZones"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What a private endpoint of this group leads to, and the zones of its names."""

    target: str
    zones: tuple[str, ...]


GROUPS: Final = {
    "blob": Group(target=ACCOUNT, zones=("privatelink.blob.core.windows.net",)),
    "table": Group(target=ACCOUNT, zones=("privatelink.table.core.windows.net",)),
    "searchService": Group(target=SEARCH, zones=("privatelink.search.windows.net",)),
    "account": Group(
        target=OPENAI,
        zones=(
            "privatelink.cognitiveservices.azure.com",
            "privatelink.openai.azure.com",
            "privatelink.services.ai.azure.com",
        ),
    ),
    "azuremonitor": Group(
        target=MONITOR_SCOPE,
        zones=(
            "privatelink.monitor.azure.com",
            "privatelink.oms.opinsights.azure.com",
            "privatelink.ods.opinsights.azure.com",
            "privatelink.agentsvc.azure-automation.net",
            "privatelink.blob.core.windows.net",
        ),
    ),
    "sites": Group(target=SITE, zones=("privatelink.azurewebsites.net",)),
}
"""https://learn.microsoft.com/azure/private-link/private-endpoint-dns"""

DELEGATED: Final = {"app": ["Microsoft.App/environments"], "endpoints": []}
ALLOWED: Final[Mapping[str, Any]] = {
    "direction": "Inbound",
    "access": "Allow",
    "protocol": "Tcp",
    "sourceAddressPrefix": "VirtualNetwork",
    "sourcePortRange": "*",
    "destinationAddressPrefix": "*",
    "destinationPortRange": "443",
}
DENIED: Final[Mapping[str, Any]] = {
    **ALLOWED,
    "access": "Deny",
    "protocol": "*",
    "sourceAddressPrefix": "*",
    "destinationPortRange": "*",
}
LET_IN: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {"app": [], "endpoints": [ALLOWED, DENIED]}
"""The rules of each subnet, in the order in which they count."""


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the resources of one scenario breaks a rule; those that are there already may be reached too."""
    for rule in _PARTS:
        yield from rule(resources, given)


def _shut(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    private, public = given["privateNetwork"], given["publicApp"]
    made = [one for one in resources if not one.existing]
    for one in (*of(made, ACCOUNT), *of(made, SEARCH), *of(made, OPENAI)):
        yield from _access(one, not private)
        if private and one.type != SEARCH and at(one.properties, "networkAcls.defaultAction") != "Deny":
            yield f"{one}: its firewall must deny by default"
    for one in of(made, SITE):
        yield from _access(one, public)
        if bare(one.properties.get("virtualNetworkSubnetId")) != _subnet(made, given, "app"):
            yield f"{one}: it must call out through {_subnet(made, given, 'app')}"
    if bool(of(made, NETWORK)) is not (private and not given.get("existingAppSubnetId")):
        yield "there is a virtual network exactly when it is asked for"
    ingestion = "Enabled" if public or not given["monitorPrivateLink"] else "Disabled"
    for one in (*of(made, INSIGHTS), *of(made, WORKSPACE)):
        if one.properties.get("publicNetworkAccessForIngestion") != ingestion:
            yield f"{one}: telemetry from outside the network must be {ingestion}"
        if one.properties.get("publicNetworkAccessForQuery") != ("Disabled" if private else "Enabled"):
            yield f"{one}: who may ask it from outside the network, privateNetwork says"


def _subnet(made: Sequence[Resource], given: Given, name: str) -> str:
    """The subnet of the app, or that of private endpoints, by its resource id."""
    if not given["privateNetwork"]:
        return "None"
    existing: str = given.get({"app": "existingAppSubnetId", "endpoints": "existingEndpointSubnetId"}[name], "")
    return existing or next((f"{net.id}/subnets/{name}" for net in of(made, NETWORK)), "None")


def _access(one: Resource, public: bool) -> Iterator[str]:
    state = "enabled" if public else "disabled"
    if str(one.properties.get("publicNetworkAccess")).lower() != state:
        yield f"{one}: public access must be {state}"


def _expected(given: Given) -> set[str]:
    """The groups of private endpoints that a scenario has."""
    if not given["privateNetwork"]:
        return set()
    wanted = {"account": given.get("planner") != "none", "azuremonitor": given["monitorPrivateLink"]}
    wanted["sites"] = not given["publicApp"]
    return {"blob", "table", "searchService"} | {group for group, one in wanted.items() if one}


def _reached(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/private-link/private-endpoint-overview#private-link-resource"""
    found = [group for one in of(resources, ENDPOINT) for group in _connection(one)["groupIds"]]
    if sorted(found) != sorted(_expected(given)):
        yield f"private endpoints reach {sorted(found)}, not {sorted(_expected(given))}"
    linked = [bare(one.properties.get("linkedResourceId")) for one in of(resources, f"{MONITOR_SCOPE}/scopedResources")]
    scoped = [*workspaces(resources, given), *ids(resources, INSIGHTS)] if "azuremonitor" in _expected(given) else []
    if linked != scoped:
        yield f"the private link scope has {linked}, not {scoped}"


def _endpoints(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in of(resources, ENDPOINT):
        connection = _connection(one)
        group = GROUPS[connection["groupIds"][0]]
        if bare(connection["privateLinkServiceId"]) not in {target.id for target in of(resources, group.target)}:
            yield f"{one}: what it leads to is no {group.target} that is deployed or there already"
        if bare(at(one.properties, "subnet.id")) != _subnet(resources, given, "endpoints"):
            yield f"{one}: it stands in the subnet of private endpoints"
        grouped = [
            bare(config["properties"]["privateDnsZoneId"])
            for names in of(resources, f"{ENDPOINT}/privateDnsZoneGroups")
            if names.parent == one
            for config in names.properties["privateDnsZoneConfigs"]
        ]
        zones = [] if given.get("privateDns") == "none" else [f"{_zones_below(given)}{zone}" for zone in group.zones]
        if grouped != zones:
            yield f"{one}: its zones are {grouped}, not {zones}"


def _zones_below(given: Given) -> str:
    existing = given.get("privateDns") == "existing"
    group = given["existingDnsResourceGroup"] if existing else group_of(given)
    subscription = given.get("existingDnsSubscription") or SUBSCRIPTION
    return f"/subscriptions/{subscription}/resourceGroups/{group}/providers/{ZONE}/"


def _zones(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """Zones are made where none are there already: those of the endpoints, linked to the network."""
    new = given.get("privateDns", "new") == "new"
    needed = {zone for group in _expected(given) if new for zone in GROUPS[group].zones}
    made = of(resources, ZONE)
    if sorted(str(one.body["name"]) for one in made) != sorted(needed):
        yield f"the private DNS zones are {[one.body['name'] for one in made]}, not {sorted(needed)}"
    network = _subnet(resources, given, "endpoints").partition("/subnets/")[0]
    links = {
        one.parent.id: (bare(one.properties["virtualNetwork"]["id"]), one.properties.get("registrationEnabled"))
        for one in of(resources, f"{ZONE}/virtualNetworkLinks")
        if one.parent is not None
    }
    if links != {one.id: (network, False) for one in made}:
        yield f"each zone must be linked to {network}, without registration"


def _subnets(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    groups = {one.id: one for one in of(resources, RULES)}
    for net in of(resources, NETWORK):
        subnets: Mapping[str, Mapping[str, Any]] = {one["name"]: one["properties"] for one in net.properties["subnets"]}
        if set(subnets) != set(DELEGATED):
            yield f"{net}: its subnets are {sorted(DELEGATED)}"
        if at(subnets.get("endpoints"), "privateEndpointNetworkPolicies") != "Enabled":
            yield f"{net}: without network policies no rule counts for private endpoints"
        for name, subnet in subnets.items():
            if [one["properties"]["serviceName"] for one in subnet.get("delegations", [])] != DELEGATED.get(name):
                yield f"{net}: the subnet {name} is delegated to {DELEGATED.get(name)}"
            rules = groups.get(bare(at(subnet, "networkSecurityGroup.id")))
            if rules is None or _in_order(rules) != LET_IN.get(name):
                yield f"{net}: the rules of the subnet {name} let in something else than they should"


def _in_order(rules: Resource) -> list[Mapping[str, Any]]:
    found = sorted(
        (one["properties"] for one in rules.properties["securityRules"]), key=lambda one: int(one["priority"])
    )
    return [{key: value for key, value in one.items() if key != "priority"} for one in found]


def _connection(endpoint: Resource) -> Mapping[str, Any]:
    found: Mapping[str, Any] = endpoint.properties["privateLinkServiceConnections"][0]["properties"]
    return found


_PARTS: Final[Sequence[Callable[[Sequence[Resource], Given], Iterator[str]]]] = (
    _shut, _reached, _endpoints, _zones, _subnets,
)  # fmt: skip
