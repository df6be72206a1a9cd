"""What values mean together, where each by itself is one that Azure takes: who is let in, where parameters arrive,
names that two deployments must not share, and names that our code knows."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import getmembers, isclass
from typing import Any, Final

from retrieval import errors
from retrieval.definitions.table_store import TABLE
from retrieval.telemetry import names
from retrieval.telemetry.names import COUNTERS, HISTOGRAMS
from tests.infra import policy
from tests.infra.identity import AUTHENTICATION
from tests.infra.limits import BUDGET, NETWORK, PLAN
from tests.infra.policy import ACCOUNT, INSIGHTS, OPENAI, SEARCH, SITE, WORKSPACE, Given
from tests.infra.values import Resource, at, of
from tests.infra.watching import LOG

PLACES: Final[Mapping[str, tuple[str, str]]] = {
    "budgetAmount": (BUDGET, "properties.amount"),
    "budgetStart": (BUDGET, "properties.timePeriod.startDate"),
    "logDailyCapGB": (WORKSPACE, "properties.workspaceCapping.dailyQuotaGb"),
    "logRetentionDays": (WORKSPACE, "properties.retentionInDays"),
    "modelCapacity": (f"{OPENAI}/deployments", "sku.capacity"),
    "modelDeployment": (f"{OPENAI}/deployments", "name"),
    "modelName": (f"{OPENAI}/deployments", "properties.model.name"),
    "modelSku": (f"{OPENAI}/deployments", "sku.name"),
    "modelVersion": (f"{OPENAI}/deployments", "properties.model.version"),
    "searchPartitions": (SEARCH, "properties.partitionCount"),
    "searchReplicas": (SEARCH, "properties.replicaCount"),
    "searchSku": (SEARCH, "sku.name"),
    "semanticRanker": (SEARCH, "properties.semanticSearch"),
    "siteUpdateStrategy": (SITE, "properties.functionAppConfig.siteUpdateStrategy.type"),
    "zoneRedundant": (PLAN, "properties.zoneRedundant"),
}
"""Where a parameter arrives as it was given."""

PLAN_TOKENS: Final = 239
"""Of a call that plans: docs/operating/sizing.md, `tokens_in` and `tokens_out`."""


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the resources of one scenario does not mean what it should."""
    made = [one for one in resources if not one.existing]
    yield from _arrived(made, given)
    for one in made:
        for rule in _RULES.get(one.type, ()):
            yield from (f"{one}: {problem}" for problem in rule(one, given))


def shared(one: Sequence[Resource], other: Sequence[Resource]) -> Iterator[str]:
    """Resources of two environments, regions or subscriptions that would have one name."""
    unlike = [{resource.id: resource for resource in each if _own(resource)} for each in (one, other)]
    for id in sorted(set(unlike[0]) & set(unlike[1])):
        yield f"{unlike[0][id]}: another environment has a resource of the same name, {id}"


def _own(resource: Resource) -> bool:
    """Whether it has a name of its own: not what stands below another resource, and no zone, which is a host's name."""
    nested = resource.parent is not None or resource.scope is not None
    return not resource.existing and not nested and not resource.type.startswith("Microsoft.Network/privateDnsZones")


def _arrived(made: Sequence[Resource], given: Given) -> Iterator[str]:
    for name, (type_name, path) in PLACES.items():
        for one in of(made, type_name):
            if at(one.body, path) != given.get(name):
                yield f"{one}: {path} is {at(one.body, path)!r}, where {name} is {given.get(name)!r}"
    for one in of(made, NETWORK):
        prefixes = {each["name"]: at(each, "properties.addressPrefix") for each in one.properties["subnets"]}
        expected = {"app": given["appSubnetPrefix"], "endpoints": given["endpointSubnetPrefix"]}
        if prefixes != expected or at(one.properties, "addressSpace.addressPrefixes") != [
            given["networkAddressPrefix"]
        ]:
            yield f"{one}: its addresses are not those of the parameters"


def _account(one: Resource, given: Given) -> Iterator[str]:
    found = one.properties
    yield from _firewall(one, given)
    if found.get("accessTier", "Hot") != "Hot":
        yield "the host reads and writes it all the time: it is hot"
    if found.get("allowCrossTenantReplication") is not False:
        yield "it is copied to no other tenant"
    if found.get("isSftpEnabled") or found.get("isLocalUserEnabled"):
        yield "nobody but identities comes in"


def _firewall(one: Resource, given: Given) -> Iterator[str]:
    """Where access is public, an app without an address of its own must pass."""
    rules = one.properties.get("networkAcls", {})
    opened = rules.get("ipRules") or rules.get("virtualNetworkRules")
    if (
        str(one.properties.get("publicNetworkAccess")) == "Enabled"
        and rules.get("defaultAction") == "Deny"
        and not opened
    ):
        yield "its public access is on and its firewall denies everybody"


def _table(one: Resource, given: Given) -> Iterator[str]:
    if one.body["name"] != TABLE:
        yield f"the service keeps definitions in the table {TABLE}, not in {one.body['name']}"


def _blobs(one: Resource, given: Given) -> Iterator[str]:
    if at(one.properties, "deleteRetentionPolicy.enabled") is not True:
        yield "what is deleted by mistake is gone"


def _openai(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/ai-services/cognitive-services-custom-subdomains"""
    yield from _firewall(one, given)
    if not one.properties.get("customSubDomainName"):
        yield "it takes tokens and private endpoints under a custom subdomain only (customSubDomainName)"
    elif one.properties["customSubDomainName"] != one.body["name"]:
        yield "its custom subdomain is not its name, which carries the environment"
    if one.body.get("kind") not in {"OpenAI", "AIServices"} or at(one.body, "sku.name") != "S0":
        yield f"{one.body.get('kind')} of {at(one.body, 'sku.name')} deploys no chat model"


def _deployment(one: Resource, given: Given) -> Iterator[str]:
    """Capacity is in thousands of tokens a minute."""
    if at(one.properties, "model.format") != "OpenAI":
        yield "the model is one of OpenAI's"
    if one.properties.get("versionUpgradeOption") != "OnceCurrentVersionExpired":
        yield "the version that was chosen stays until it is retired, and no call fails then"
    if one.properties.get("raiPolicyName") == "":
        yield "its content filter has no name"


def usual(given: Given) -> Iterator[str]:
    """What nobody chose lets each request of an instance plan once a minute."""
    needed = given["perInstanceConcurrency"] * PLAN_TOKENS / 1_000
    if given["modelCapacity"] < needed:
        yield f"main.parameters.json: a capacity of {given['modelCapacity']} lets not every request plan"


def _site(one: Resource, given: Given) -> Iterator[str]:
    found = one.properties
    if at(found, "siteConfig.cors") is not None:
        yield "the service answers CORS itself: CORS_ORIGINS"
    if found.get("clientCertEnabled") is True and found.get("clientCertMode") != "Optional":
        yield "callers have keys or tokens, no certificates"
    if at(found, "siteConfig.remoteDebuggingEnabled") is True:
        yield "nobody debugs it from outside"
    yield from _way_in(found, given)
    if found.get("enabled") is False:
        yield "it is off"
    if at(one.body, "identity.type") != "UserAssigned":
        yield "its roles are those of the identity that is assigned"
    if at(found, "functionAppConfig.deployment.storage.type") != "blobContainer":
        yield "its package is in a container"


def _way_in(site: Mapping[str, Any], given: Given) -> Iterator[str]:
    """Callers come by any way, or by their Front Door alone, and the availability test as it always does:
    https://learn.microsoft.com/azure/frontdoor/origin-security"""
    door = given.get("frontDoorId")
    default = at(site, "siteConfig.ipSecurityRestrictionsDefaultAction") or "Allow"
    rules: Sequence[Mapping[str, Any]] = at(site, "siteConfig.ipSecurityRestrictions") or []
    let_in = {one["ipAddress"]: one.get("headers") for one in rules if one.get("action") == "Allow"}
    expected = {"AzureFrontDoor.Backend": {"x-azure-fdid": [door]}, "ApplicationInsightsAvailability": None}
    if default != ("Deny" if door else "Allow") or let_in != (expected if door else {}):
        yield "it lets in others than the Front Door of frontDoorId, or not everybody where there is none"


def _authentication(one: Resource, given: Given) -> Iterator[str]:
    """App Service checks a token that is there; the service decides about calls that have none."""
    found = one.properties
    if at(found, "globalValidation.requireAuthentication") is not False:
        yield "callers with a key are let through: requireAuthentication is false"
    if at(found, "globalValidation.unauthenticatedClientAction") != "AllowAnonymous":
        yield "callers with a key are let through: AllowAnonymous"
    if at(found, "globalValidation.excludedPaths"):
        yield "a path that is left out takes headers that nobody checks"


def _workspace(one: Resource, given: Given) -> Iterator[str]:
    if at(one.properties, "features.enableLogAccessUsingOnlyResourcePermissions") is not True:
        yield "who may read the app may read its logs"


def _insights(one: Resource, given: Given) -> Iterator[str]:
    """https://learn.microsoft.com/azure/azure-monitor/app/ip-collection"""
    found = one.properties
    if found.get("DisableIpMasking") is True:
        yield "the addresses of callers are not kept"
    if found.get("IngestionMode", "LogAnalytics") != "LogAnalytics" or not found.get("WorkspaceResourceId"):
        yield "its rows are in the workspace (IngestionMode LogAnalytics)"
    if found.get("Application_Type") != "web" or one.body.get("kind") != "web":
        yield "it is of the kind web"
    if found.get("SamplingPercentage", 100) != 100:
        yield "what is sampled, the app decides: traceSampler"


def _monitor_scope(one: Resource, given: Given) -> Iterator[str]:
    modes = one.properties.get("accessModeSettings", {})
    if modes.get("ingestionAccessMode") != "Open" or modes.get("queryAccessMode") != "Open":
        yield "telemetry of others in the network, which is in no scope, is cut off"


def _alert(one: Resource, given: Given) -> Iterator[str]:
    for condition in at(one.properties, "criteria.allOf") or []:
        yield from names_in(str(condition.get("query")))


def _workbook(one: Resource, given: Given) -> Iterator[str]:
    yield from names_in(str(one.properties["serializedData"]).replace('\\"', '"'))
    if one.body.get("kind") != "shared":
        yield "it is shared: the private kind is its maker's alone"


def names_in(text: str) -> Iterator[str]:
    """Metrics, attributes and errors in a query that our code does not emit."""
    attributes = {value for value in vars(names).values() if isinstance(value, str)}
    for name in re.findall(r'"((?:retrieval|gen_ai|db|mcp)\.[\w.]*)"', text):
        whole = name if not name.endswith(".") else next((one for one in metrics() if one.startswith(name)), name)
        if whole not in attributes:
            yield f"nothing that is emitted is called {name}"
    metric = r"\b[Nn]ame (?:==|!=|=~) \"([\w.]+)\""
    listed = re.findall(r"\b[Nn]ame in(?:~)? \(([^)]*)\)", text)
    asked = [*re.findall(metric, text), *(name for one in listed for name in re.findall(r'"([^"]+)"', one))]
    if "Metrics" in text:
        yield from (f"no metric that is emitted is called {name}" for name in asked if name not in metrics())
    classes = {name for name, _ in getmembers(errors, isclass)}
    for name in re.findall(r'"((?:Backend|Ranker|Bad|Unreadable|Missing|Not)[A-Z]?\w+)"', text):
        if name not in classes:
            yield f"no error is called {name}"


def metrics() -> frozenset[str]:
    """The names of the instruments that retrieval/telemetry makes."""
    return frozenset({*COUNTERS, *HISTOGRAMS})


_RULES: Final[Mapping[str, Sequence[Callable[[Resource, Given], Iterator[str]]]]] = {
    ACCOUNT: (_account,),
    f"{ACCOUNT}/blobServices": (_blobs,),
    policy.TABLE: (_table,),
    OPENAI: (_openai,),
    f"{OPENAI}/deployments": (_deployment,),
    SITE: (_site,),
    AUTHENTICATION: (_authentication,),
    WORKSPACE: (_workspace,),
    INSIGHTS: (_insights,),
    "Microsoft.Insights/privateLinkScopes": (_monitor_scope,),
    "Microsoft.Insights/workbooks": (_workbook,),
    LOG: (_alert,),
}
