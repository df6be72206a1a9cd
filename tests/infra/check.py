"""All checks of the infrastructure over one set of files: the project's, or one with a fault in it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from tests.infra import (
    addresses,
    alert_forms,
    compiler,
    host,
    identity,
    limits,
    meaning,
    names,
    network,
    outside,
    policy,
    symbols,
    watching,
)
from tests.infra.evaluate import Template
from tests.infra.functions import SUBSCRIPTION
from tests.infra.shapes import Shapes
from tests.infra.symbols import used
from tests.infra.tree import Declaration, File, members, read
from tests.infra.values import SECRET

CLIENT: Final = "00000000-0000-0000-0000-00000000000c"
OTHER: Final = "00000000-0000-0000-0000-00000000000d"

GROUP: Final = f"/subscriptions/{OTHER}/resourceGroups/rg-ops/providers/Microsoft.Insights/actionGroups/oncall"
NETWORK: Final = f"/subscriptions/{OTHER}/resourceGroups/rg-hub/providers/Microsoft.Network/virtualNetworks/spoke"
LANDING_ZONE: Final[Mapping[str, Any]] = {
    "resourceGroupName": "rg-of-the-team",
    "existingResourceGroup": True,
    "extraTags": {"costCenter": "4711"},
    "resourceNames": {"app": "func-weu-rag", "storage": "stweurag", "alerts": "weurag"},
    "existingWorkspaceId": (
        f"/subscriptions/{OTHER}/resourceGroups/rg-logs/providers/Microsoft.OperationalInsights/workspaces/all"
    ),
    "privateNetwork": True,
    "existingAppSubnetId": f"{NETWORK}/subnets/rag-app",
    "existingEndpointSubnetId": f"{NETWORK}/subnets/rag-endpoints",
    "privateDns": "existing",
    "existingDnsResourceGroup": "rg-dns",
    "existingDnsSubscription": OTHER,
    "monitorPrivateLink": False,
    "diagnosticSettings": False,
}

SCENARIOS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nothing said": {},
    "a pipeline deploys": {"principalId": CLIENT, "principalType": "ServicePrincipal"},
    "nobody is known to deploy": {"principalId": ""},
    "secrets": {"apiKeys": SECRET, "adminApiKeys": SECRET, "moreSettings": {"API_KEYS": SECRET}},
    "a setting by name": {"moreSettings": {"LOG_CONTENT": "1", "MAX_CONCURRENT_REQUESTS": "32"}},
    "two sorts of keys": {"apiKeys": "of callers", "adminApiKeys": "of administrators"},
    "a search service that is there": {
        "existingSearchName": "theirs",
        "existingSearchResourceGroup": "rg-search",
        "existingSearchSubscription": OTHER,
        "searchVectorizes": True,
    },
    "a model that is there": {
        "planner": "existing",
        "existingModelResource": "theirs",
        "existingModelResourceGroup": "rg-model",
        "existingModelSubscription": OTHER,
    },
    "no model": {"planner": "none"},
    "a private network": {"privateNetwork": True, "searchVectorizes": True},
    "a private network without a model": {"privateNetwork": True, "planner": "none"},
    "an app nobody outside reaches": {"privateNetwork": True, "publicApp": False},
    "keys for search": {"searchLocalAuth": True},
    "kept warm": {"alwaysReadyInstances": 3, "perInstanceConcurrency": 32, "zoneRedundant": True},
    "more of a search service": {"searchSku": "standard", "searchReplicas": 2, "searchPartitions": 6},
    "Entra": {"entraAudience": "api://retrieval", "authTenantId": OTHER},
    "Entra of this tenant": {"entraAudience": "api://retrieval"},
    "fields are told": {"indexFields": {"handbook": {"key": "id"}}},
    "App Service authentication": {"authClientId": CLIENT},
    "App Service authentication of some": {"authClientId": CLIENT, "authAllowedApplications": [OTHER]},
    "a landing zone": LANDING_ZONE,
    "a landing zone that registers endpoints": {
        **LANDING_ZONE,
        "privateDns": "none",
        "existingDnsResourceGroup": "",
        "existingDnsSubscription": "",
        "publicApp": False,
    },
    "zones in the subscription, in a network that is there": {
        **LANDING_ZONE,
        "existingDnsSubscription": "",
        "existingSearchName": "theirs",
    },
    "a model in the group": {"planner": "existing", "existingModelResource": "theirs"},
    "zones of its own in a network that is there": {
        "privateNetwork": True,
        "publicApp": False,
        "existingAppSubnetId": f"{NETWORK}/subnets/rag-app",
        "existingEndpointSubnetId": f"{NETWORK}/subnets/rag-endpoints",
    },
    "a front door": {"frontDoorId": CLIENT},
    "a heartbeat": {"heartbeat": True, "privateNetwork": True, "publicApp": False},
    "mail": {"alertEmail": "operators@example.org"},
    "an action group": {
        "alertActionGroupId": GROUP,
        "budgetAmount": 900,
        "budgetStart": "2026-12-01",
    },
    "a budget": {"budgetAmount": 900, "budgetStart": "2026-12-01"},
    "logs without a cap": {"logDailyCapGB": -1},
    "other thresholds": {"alertErrorPercent": 7, "alertLatencyMs": 900, "alertThrottledPercent": 11},
}
REFUSED: Final[Mapping[str, Mapping[str, Any]]] = {
    "Nobody is admitted": {"apiKeys": ""},
    "AUTH_CLIENT_ID is no client id": {"authClientId": "my-app"},
    "AUTH_CLIENT_ID is no client id.": {"authClientId": CLIENT.replace("-0000-", "-000-", 1)},
    "AUTH_ALLOWED_APPLICATIONS needs AUTH_CLIENT_ID": {"authAllowedApplications": [OTHER]},
    "AUTH_ALLOWED_APPLICATIONS has what is no client id": {
        "authClientId": CLIENT,
        "authAllowedApplications": ["my-app"],
    },
    "AUTH_TENANT_ID needs": {"authTenantId": OTHER},
    "has a setting of the platform": {"moreSettings": {"AzureWebJobsStorage__accountName": "theirs"}},
    "has a setting for a developer machine": {"moreSettings": {"LOCAL": "1"}},
    "PER_INSTANCE_CONCURRENCY is over": {"perInstanceConcurrency": 65},
    "ALWAYS_READY_INSTANCES is over": {"alwaysReadyInstances": 101},
    "LOG_DAILY_CAP_GB=0 keeps no log": {"logDailyCapGB": 0},
    "BUDGET_AMOUNT needs BUDGET_START": {"budgetAmount": 900},
    "three SEARCH_REPLICAS": {"searchReplicas": 4},
    "three SEARCH_PARTITIONS": {"searchPartitions": 4},
    "is 36 at most": {"searchSku": "standard", "searchReplicas": 4, "searchPartitions": 12},
    "EXISTING_SEARCH_RESOURCE_GROUP needs": {"existingSearchResourceGroup": "rg-search"},
    "EXISTING_SEARCH_SUBSCRIPTION needs": {"existingSearchSubscription": OTHER},
    "PLANNER=existing needs": {"planner": "existing"},
    "EXISTING_MODEL_RESOURCE needs": {"existingModelResource": "theirs"},
    "EXISTING_MODEL_RESOURCE_GROUP needs": {"existingModelResourceGroup": "rg-model", "planner": "none"},
    "EXISTING_MODEL_SUBSCRIPTION needs": {"existingModelSubscription": OTHER},
    "EXISTING_RESOURCE_GROUP needs": {"existingResourceGroup": True},
    "RESOURCE_NAMES has a key": {"resourceNames": {"function": "func-weu-rag"}},
    "PUBLIC_APP=false needs PRIVATE_NETWORK=true": {"publicApp": False},
    "FRONT_DOOR_ID needs PUBLIC_APP=true": {"privateNetwork": True, "publicApp": False, "frontDoorId": CLIENT},
    "need PRIVATE_NETWORK=true": {
        "existingAppSubnetId": f"{NETWORK}/subnets/rag-app",
        "existingEndpointSubnetId": f"{NETWORK}/subnets/rag-endpoints",
    },
    "need each other": {"privateNetwork": True, "existingAppSubnetId": f"{NETWORK}/subnets/rag-app"},
    "need a subnet each": {
        "privateNetwork": True,
        "existingAppSubnetId": f"{NETWORK}/subnets/rag",
        "existingEndpointSubnetId": f"{NETWORK}/subnets/rag",
    },
    "PRIVATE_DNS=existing needs": {"privateNetwork": True, "privateDns": "existing"},
    "EXISTING_DNS_RESOURCE_GROUP needs": {"privateNetwork": True, "existingDnsResourceGroup": "rg-dns"},
    "EXISTING_DNS_SUBSCRIPTION needs": {"privateNetwork": True, "existingDnsSubscription": OTHER},
    "PRIVATE_DNS needs PRIVATE_NETWORK=true": {"privateDns": "none"},
}
"""What would cost something, or be ignored, before anybody saw it, by the sentence that refuses it."""

NOT_TAKEN: Final[Mapping[str, Sequence[str]]] = {
    "has a setting of the platform": (
        "AzureWebJobsDisableHomepage", "FUNCTIONS_WORKER_RUNTIME", "WEBSITE_RUN_FROM_PACKAGE",
        "APPLICATIONINSIGHTS_CONNECTION_STRING", "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY",
        "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER_ARG",
    ),
    "has a setting for a developer machine": (
        "local", "LOCAL_DATA", "EMBEDDINGS_URL", "EMBEDDINGS_API_KEY", "IN_AZURE", "PLATFORM_AUTH",
    ),
}  # fmt: skip
"""Names that MORE_SETTINGS may not have, first or later, in any case."""

ADMITTING: Final = ("API_KEYS", "ADMIN_API_KEYS", "ACCESS_KEYS", "BASE_KEYS", "ENTRA_AUDIENCE")
"""Names in MORE_SETTINGS by which somebody is admitted."""

ALLOWED: Final[Sequence[Mapping[str, Any]]] = (
    {"apiKeys": "", "adminApiKeys": SECRET},
    *({"apiKeys": "", "moreSettings": {name: "@Microsoft.KeyVault(SecretUri=https://there)"}} for name in ADMITTING),
    {"apiKeys": "", "entraAudience": "api://retrieval"},
    {"apiKeys": "", "authClientId": CLIENT},
    {"moreSettings": {"LOG_CONTENT": "LOCAL WEBSITE_", "WORKSPACES": '{"key":"local"}'}},
    {"perInstanceConcurrency": 64},
    {"alwaysReadyInstances": 1, "maximumInstanceCount": 1},
    {"logDailyCapGB": -1},
    {"searchReplicas": 3, "searchPartitions": 3},
    {"searchSku": "standard", "searchReplicas": 12, "searchPartitions": 3},
    {"existingSearchName": "theirs", "searchReplicas": 12, "searchPartitions": 12},
)
"""What stands beside it, and is right."""


BEFORE: Final[Mapping[str, set[str]]] = {
    "searchAccess": {"search"},
    "modelAccess": {"model"},
    "endpoints": {"privateZones", "monitorScope"},
    "appEndpoint": {"privateZones"},
}
"""What a module reads, as something that is there, and another module makes."""


def problems(sources: Mapping[str, str], azure_yaml: str) -> Iterator[str]:
    """Everything that is wrong, once each; the first as soon as it is found."""
    seen = set()
    for problem in _problems(sources, azure_yaml):
        if problem not in seen:
            seen.add(problem)
            yield problem


def _problems(sources: Mapping[str, str], azure_yaml: str) -> Iterator[str]:
    files = parsed(sources)
    main, passed = files["main.bicep"], sources["main.parameters.json"]
    static = list(symbols.problems(files))
    if not any("it is not Bicep" in problem for problem in static):
        static += [*compiler.problems(files, sources["bicepconfig.json"]), *_waits(files)]
        static += [*names.parameters(main, passed), *limits.parameters(main)]
    yield from static
    if any(problem.startswith("main.parameters.json") or "it is not Bicep" in problem for problem in static):
        return
    yield from meaning.usual(all_of(files, sources, {}))
    yield from _environments(files, sources)
    yield from _bounds(files, sources)
    for given in _scenarios(main):
        yield from scenario(files, sources, given)
    yield from names.service(deploy(files, sources, {}).resources, azure_yaml)
    yield from (*names.hooks(azure_yaml), *host.azure(azure_yaml))
    yield from _refusals(files, sources)


def _refusals(files: Mapping[str, File], sources: Mapping[str, str]) -> Iterator[str]:
    for sentence, given in REFUSED.items():
        if not any(sentence in problem for problem in deploy(files, sources, given).problems):
            yield f"main.bicep: nobody says: {sentence}"
    for sentence, listed in NOT_TAKEN.items():
        for name in listed:
            if not any(
                sentence in one for one in deploy(files, sources, {"moreSettings": {"A": "", name: ""}}).problems
            ):
                yield f"main.bicep: MORE_SETTINGS may have {name}"
    for given in ALLOWED:
        yield from deploy(files, sources, given).problems


def parsed(sources: Mapping[str, str]) -> dict[str, File]:
    """The Bicep files among them."""
    texts = {path: text for path, text in sources.items() if path.endswith(".bicep")}
    raw = outside.trees(texts)
    new = {(path, text): read(path, raw[path]) for path, text in texts.items() if (path, text) not in _READ}
    _READ.update(new)
    return {path: _READ[path, text] for path, text in texts.items()}


_READ: Final[dict[tuple[str, str], File]] = {}
"""Each file once in a process: tests read the same ones many times."""


@cache
def shapes() -> Shapes:
    return Shapes()


def deploy(
    files: Mapping[str, File],
    sources: Mapping[str, str],
    given: Mapping[str, Any],
    *,
    subscription: str = SUBSCRIPTION,
) -> Template:
    """What main.bicep deploys with these parameters and, of all others, what azd passes when nothing is said."""
    return deploy_with(files, sources, all_of(files, sources, given), subscription=subscription)


def deploy_with(
    files: Mapping[str, File],
    sources: Mapping[str, str],
    given: Mapping[str, Any],
    *,
    subscription: str = SUBSCRIPTION,
) -> Template:
    """What main.bicep deploys with these parameters and no others."""
    template = Template(files=files, texts=sources, shapes=shapes(), subscription=subscription)
    template.deploy("main.bicep", given)
    return template


def all_of(files: Mapping[str, File], sources: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    """These parameters, and the others as azd passes them."""
    return {**names.passed(files["main.bicep"], sources["main.parameters.json"]), **given}


def _scenarios(main: File) -> Iterator[Mapping[str, Any]]:
    """The named ones, and each value that an enumerated parameter or a switch may have by itself."""
    yield from SCENARIOS.values()
    for one in main.of("parameter"):
        if one.name in {"planner", "publicApp", "privateDns", "searchPartitions", "existingResourceGroup"}:
            continue
        if one.type == "bool":
            yield from ({one.name: value} for value in (True, False))
        if "allowed" in one.decorators:
            choices = one.decorators["allowed"].part("arguments").children[0].children
            for choice in choices:
                yield {one.name: int(choice.text) if choice.kind == "number" else choice.children[0].text}


def _bounds(files: Mapping[str, File], sources: Mapping[str, str]) -> Iterator[str]:
    """What the limits of a parameter let pass, its module takes too, and Azure."""
    for given in limits.bounds(files["main.bicep"]):
        template = deploy(files, sources, given)
        if not any(": groupName: " in problem for problem in template.problems):
            yield from template.problems
            yield from limits.problems(template.resources, all_of(files, sources, given))


def _environments(files: Mapping[str, File], sources: Mapping[str, str]) -> Iterator[str]:
    """Two environments, two regions and two subscriptions have no name in common."""
    one = {"privateNetwork": True, "resourceGroupName": "rg", "budgetAmount": 1, "budgetStart": "2026-12-01"}
    first = deploy(files, sources, one).resources
    for other in ({"environmentName": "another"}, {"location": "swedencentral"}):
        beside = deploy(files, sources, {**one, **other}).resources
        yield from meaning.shared(first, [each for each in beside if each.type != policy.GROUP])
    elsewhere = deploy(files, sources, one, subscription=OTHER).resources
    yield from meaning.shared(first, [each for each in elsewhere if each.type != policy.GROUP])


def scenario(files: Mapping[str, File], sources: Mapping[str, str], given: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with what these parameters deploy."""
    template = deploy(files, sources, given)
    yield from template.problems
    made = [one for one in template.resources if not one.existing]
    for one in made:
        yield from (f"{one}: {problem}" for problem in shapes().problems(one.type, one.body))
    if template.problems:
        return
    given = all_of(files, sources, given)
    for rules in (policy, network, watching, identity, limits, alert_forms, meaning):
        yield from rules.problems(template.resources, given)
    yield from addresses.problems(template.resources, template.outputs, given)
    yield from names.settings(made)
    yield from names.said(made, given)
    yield from names.twice(made)


def _waits(files: Mapping[str, File]) -> Iterator[str]:
    """Each module waits for its resource group and what it reads of another without naming it; the app for its roles
    and the endpoints that it calls out through."""
    main = files["main.bicep"]
    roles = {path for path, file in files.items() for one in file.of("resource") if "roleAssignments" in one.source}
    of_app = {one.name for one in main.of("module") if one.source in roles} | {"endpoints"}
    before = {"app": of_app, **BEFORE}
    for module in main.of("module"):
        for name in sorted({"group", *before.get(module.name, ())} - _reached(main, module)):
            yield f"main.bicep:{module.line}: {module.name}: it does not wait for {name}"


def _reached(main: File, start: Declaration) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        one = ahead.pop()
        after = {name for name in (*used(one), *_explicit(one)) if name not in found}
        found |= after
        ahead += [declared for name in after if (declared := main.named(name)) is not None]
    return found


def _explicit(one: Declaration) -> list[str]:
    if one.value is None or one.kind not in {"module", "resource"}:
        return []
    listed = members(one.value).get("dependsOn")
    return [] if listed is None else [child.text for child in listed.children]
