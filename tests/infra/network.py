"""The closed network: what is shut, what is reached from within, who resolves the names, and what the rules let in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.infra.policy import ACCOUNT, OPENAI, SEARCH, SITE, Given
from tests.infra.values import Resource, at, bare, of

NETWORK: Final = "Microsoft.Network/virtualNetworks"
RULES: Final = "Microsoft.Network/networkSecurityGroups"
ENDPOINT: Final = "Microsoft.Network/privateEndpoints"
ZONE: Final = "Microsoft.Network/privateDnsZones"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What a private endpoint of this group leads to, and the zone of its name."""

    target: str
    zone: str


GROUPS: Final = {
    "blob": Group(target=ACCOUNT, zone="privatelink.blob.core.windows.net"),
    "table": Group(target=ACCOUNT, zone="privatelink.table.core.windows.net"),
    "searchService": Group(target=SEARCH, zone="privatelink.search.windows.net"),
    "account": Group(target=OPENAI, zone="privatelink.openai.azure.com"),
    "sites": Group(target=SITE, zone="privatelink.azurewebsites.net"),
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
    private, public = given.get("privateNetwork", False), given.get("publicApp", True)
    made = [one for one in resources if not one.existing]
    for one in (*of(made, ACCOUNT), *of(made, SEARCH), *of(made, OPENAI)):
        yield from _access(one, not private)
        if private and one.type != SEARCH and at(one.properties, "networkAcls.defaultAction") != "Deny":
            yield f"{one}: its firewall must deny by default"
    for one in of(made, SITE):
        yield from _access(one, public)
        expected = next((f"{net.id}/subnets/app" for net in of(made, NETWORK)), "None")
        if bare(one.properties.get("virtualNetworkSubnetId")) != expected:
            yield f"{one}: it must call out through {expected}"
    if bool(of(made, NETWORK)) is not private:
        yield "there is a virtual network exactly when it is asked for"


def _access(one: Resource, public: bool) -> Iterator[str]:
    state = "enabled" if public else "disabled"
    if str(one.properties.get("publicNetworkAccess")).lower() != state:
        yield f"{one}: public access must be {state}"


def _reached(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/private-link/private-endpoint-overview#private-link-resource"""
    expected = {"blob", "table", "searchService"} if given.get("privateNetwork") else set()
    if expected and given.get("planner", "new") != "none":
        expected.add("account")
    if expected and not given.get("publicApp", True):
        expected.add("sites")
    found = [group for one in of(resources, ENDPOINT) for group in _connection(one)["groupIds"]]
    if sorted(found) != sorted(expected):
        yield f"private endpoints reach {sorted(found)}, not {sorted(expected)}"


def _endpoints(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    subnets = [f"{one.id}/subnets/endpoints" for one in of(resources, NETWORK)]
    for one in of(resources, ENDPOINT):
        connection = _connection(one)
        group = GROUPS[connection["groupIds"][0]]
        if bare(connection["privateLinkServiceId"]) not in {target.id for target in of(resources, group.target)}:
            yield f"{one}: what it leads to is no {group.target} that is deployed or there already"
        if [bare(at(one.properties, "subnet.id"))] != subnets:
            yield f"{one}: it stands in the subnet of private endpoints"
        yield from _resolved(one, group, resources)


def _resolved(endpoint: Resource, group: Group, resources: Sequence[Resource]) -> Iterator[str]:
    """A name is found when the endpoint is in the zone of its group, and the network is linked to that zone."""
    zones = [one.id for one in of(resources, ZONE) if one.body["name"] == group.zone]
    grouped = [
        bare(config["properties"]["privateDnsZoneId"])
        for one in of(resources, f"{ENDPOINT}/privateDnsZoneGroups")
        if one.parent == endpoint
        for config in one.properties["privateDnsZoneConfigs"]
    ]
    if not zones or grouped != zones:
        yield f"{endpoint}: its zone is {group.zone}, not {grouped}"
    linked = [
        (bare(one.properties["virtualNetwork"]["id"]), one.properties.get("registrationEnabled"))
        for one in of(resources, f"{ZONE}/virtualNetworkLinks")
        if one.parent is not None and one.parent.id in zones
    ]
    if linked != [(one.id, False) for one in of(resources, NETWORK)]:
        yield f"{endpoint}: {group.zone} must be linked to the network, without registration"


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


_PARTS: Final[Sequence[Callable[[Sequence[Resource], Given], Iterator[str]]]] = (_shut, _reached, _endpoints, _subnets)
