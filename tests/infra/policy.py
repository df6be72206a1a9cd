"""Our own rules for what is deployed: no key, TLS 1.2 and later, https, the narrowest roles.

They are held against evaluated resources, so that a rule cannot be met by a line that another one undoes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from retrieval.version import VERSION
from tests.infra.functions import SUBSCRIPTION
from tests.infra.values import SECRET, Place, Resource, at, bare, ids, of

SEARCH: Final = "Microsoft.Search/searchServices"
OPENAI: Final = "Microsoft.CognitiveServices/accounts"
ACCOUNT: Final = "Microsoft.Storage/storageAccounts"
GROUP: Final = "Microsoft.Resources/resourceGroups"
TABLE: Final = "Microsoft.Storage/storageAccounts/tableServices/tables"
INSIGHTS: Final = "Microsoft.Insights/components"
WORKSPACE: Final = "Microsoft.OperationalInsights/workspaces"
SITE: Final = "Microsoft.Web/sites"
SETTINGS: Final = "Microsoft.Web/sites/config/appsettings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A built-in role, and the one type of resource that it is given on."""

    name: str
    scope: str


ROLES: Final = {
    "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": Role(name="Storage Blob Data Owner", scope=ACCOUNT),
    "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": Role(name="Storage Table Data Contributor", scope=TABLE),
    "1407120a-92aa-4202-b7e9-c0e197c71c8f": Role(name="Search Index Data Reader", scope=SEARCH),
    "5e0bd9bd-7b93-4f28-af87-19fc36ad61bd": Role(name="Cognitive Services OpenAI User", scope=OPENAI),
    "3913510d-42f4-4e42-8a64-420c390055eb": Role(name="Monitoring Metrics Publisher", scope=INSIGHTS),
}
DEPLOYER: Final = {
    "7ca78c08-252a-4471-8644-bb5ff32d4ba0": Role(name="Search Service Contributor", scope=SEARCH),
    "8ebe5a00-799e-43f5-93ac-243d3dce84a7": Role(name="Search Index Data Contributor", scope=SEARCH),
}
"""Of who deploys, on a search service that is created."""
"""https://learn.microsoft.com/azure/role-based-access-control/built-in-roles"""

MUST_BE: Final[Mapping[str, Mapping[str, Any]]] = {
    ACCOUNT: {
        "allowSharedKeyAccess": False,
        "allowBlobPublicAccess": False,
        "minimumTlsVersion": frozenset({"TLS1_2", "TLS1_3"}),
        "supportsHttpsTrafficOnly": True,
    },
    f"{ACCOUNT}/blobServices/containers": {"publicAccess": "None"},
    OPENAI: {"disableLocalAuth": True},
    INSIGHTS: {"DisableLocalAuth": True},
    WORKSPACE: {"features.disableLocalAuth": True},
    "Microsoft.Web/sites/basicPublishingCredentialsPolicies": {"allow": False},
    SITE: {
        "httpsOnly": True,
        "siteConfig.minTlsVersion": frozenset({"1.2", "1.3"}),
        "siteConfig.scmMinTlsVersion": frozenset({"1.2", "1.3"}),
        "siteConfig.ftpsState": "Disabled",
        "functionAppConfig.runtime.name": "python",
        "functionAppConfig.runtime.version": "3.13",
        "functionAppConfig.deployment.storage.authentication.type": "UserAssignedIdentity",
    },
}
PLATFORM: Final = {
    "AzureWebJobsStorage__credential": "managedidentity",
    "AzureWebJobsDisableHomepage": "true",
    "OTEL_RESOURCE_ATTRIBUTES": f"service.version={VERSION}",
    "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY": "true",
}

LOGGED: Final = {
    SITE: {"FunctionAppLogs"},
    SEARCH: {"OperationLogs"},
    OPENAI: {"Audit", "RequestResponse"},
    f"{ACCOUNT}/blobServices": {"StorageWrite", "StorageDelete"},
    f"{ACCOUNT}/tableServices": {"StorageWrite", "StorageDelete"},
}
"""What of each goes to the workspace: https://learn.microsoft.com/azure/azure-monitor/reference/logs-index"""

Given = Mapping[str, Any]


def group_of(given: Given) -> str:
    """The resource group that a scenario deploys to."""
    return str(given.get("resourceGroupName") or f"rg-{given['environmentName']}")


def workspaces(resources: Sequence[Resource], given: Given) -> list[str]:
    """The workspace of a scenario by its id: the one that is there already, or that is made."""
    return [given["existingWorkspaceId"]] if given.get("existingWorkspaceId") else ids(resources, WORKSPACE)


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the resources of one scenario breaks a rule; `given` are the parameters of the scenario."""
    made = [one for one in resources if not one.existing]
    for rule in _RULES:
        yield from rule(made, given)


def _fixed(made: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in made:
        for path, expected in MUST_BE.get(one.type, {}).items():
            found = at(one.properties, path)
            if found not in (expected if isinstance(expected, frozenset) else {expected}):
                yield f"{one}: {path} must be {expected!r}, it is {found!r}"


def _search(made: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in of(made, SEARCH):
        keys = given.get("searchLocalAuth", False)
        if one.properties.get("disableLocalAuth") is not (not keys):
            yield f"{one}: keys must be off unless they are asked for"
        if one.properties.get("semanticSearch") not in {"free", "standard"}:
            yield f"{one}: retrieve needs the semantic ranker"
        if at(one.body, "identity.type") != "SystemAssigned":
            yield f"{one}: it needs an identity of its own, to vectorize with"


def _roles(made: Sequence[Resource], given: Given) -> Iterator[str]:
    found = set()
    for one in of(made, "Microsoft.Authorization/roleAssignments"):
        id = str(one.properties.get("roleDefinitionId")).rpartition("/")[2]
        role = ROLES.get(id) or DEPLOYER.get(id)
        if role is None:
            yield f"{one}: its role is not in the table of roles"
            continue
        scope = one.scope.type if one.scope else "a whole resource group"
        if scope != role.scope:
            yield f"{one}: {role.name} is given on {scope}, not on {role.scope}"
        expected = given["principalType"] if id in DEPLOYER else "ServicePrincipal"
        if one.properties.get("principalType") != expected:
            yield f"{one}: {role.name} is given to a {expected}, or fails while an identity is new"
        if not str(one.properties.get("description")).startswith(role.name):
            yield f"{one}: its description does not begin with the name of its role, {role.name}"
        found.add((role.name, str(one.properties.get("principalId")).strip("‹<›>")))
    yield from (f"nobody gives {name} to {who}" for name, who in sorted(_expected_roles(given) - found))
    yield from (f"{name} to {who} is more than is needed" for name, who in sorted(found - _expected_roles(given)))


def _expected_roles(given: Given) -> set[tuple[str, str]]:
    app = "identity.properties.principalId"
    deploys = given.get("principalId") and given["deployerRoles"] and not given.get("existingSearchName")
    people = {(role.name, given["principalId"]) for role in DEPLOYER.values()} if deploys else set()
    return _app_roles(app, given) | people


def _app_roles(app: str, given: Given) -> set[tuple[str, str]]:
    roles = {(role.name, app) for role in ROLES.values()}
    if given["planner"] == "none":
        return roles - {("Cognitive Services OpenAI User", app)}
    vectorizes = {("Cognitive Services OpenAI User", "service.identity.principalId")}
    return roles | (vectorizes if given.get("searchVectorizes") else set())


def _places(made: Sequence[Resource], given: Given) -> Iterator[str]:
    """Everything stands in the group, but the roles on what is there already."""
    here = Place(subscription=SUBSCRIPTION, group=group_of(given))
    theirs = {SEARCH: _place_of(given, "Search", here), OPENAI: _place_of(given, "Model", here)}
    for one in made:
        expected = theirs.get(one.scope.type, here) if one.scope is not None and one.scope.existing else here
        if one.type != GROUP and one.place != expected:
            yield f"{one}: it is deployed to {one.place}, not to {expected}"


def _place_of(given: Given, what: str, here: Place) -> Place:
    return Place(
        subscription=given.get(f"existing{what}Subscription") or here.subscription,
        group=given.get(f"existing{what}ResourceGroup") or here.group,
    )


def _logs(made: Sequence[Resource], given: Given) -> Iterator[str]:
    """What is created sends its logs, unless they are off."""
    found = {one.scope.type: one for one in of(made, "Microsoft.Insights/diagnosticSettings") if one.scope is not None}
    expected = {type_name for type_name in LOGGED if given["diagnosticSettings"] and of(made, type_name)}
    if set(found) != expected:
        yield f"logs are sent of {sorted(found)}, not of {sorted(expected)}"
    to = workspaces(made, given)
    for type_name, one in found.items():
        sent = {log["category"] for log in one.properties["logs"] if log["enabled"] is True}
        if sent != LOGGED[type_name] or [bare(one.properties.get("workspaceId"))] != to:
            yield f"{one}: it must send {sorted(LOGGED[type_name])} to {to}"


def _storage(made: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in of(made, ACCOUNT):
        asked = given.get("storageSku", "Standard_LRS")
        expected = "Standard_ZRS" if given.get("zoneRedundant") else asked
        if at(one.body, "sku.name") != expected:
            yield f"{one}: its sku must be {expected}"


def _app(made: Sequence[Resource], given: Given) -> Iterator[str]:
    plans, sites = of(made, "Microsoft.Web/serverfarms"), of(made, SITE)
    if [at(one.body, "sku.name") for one in plans] != ["FC1"] or len(sites) != 1:
        yield "there is one app on one Flex Consumption plan (FC1)"
    policies = {one.body["name"] for one in of(made, "Microsoft.Web/sites/basicPublishingCredentialsPolicies")}
    if policies != {"ftp", "scm"}:
        yield "passwords for deployment are off for both, ftp and scm"
    scale = at(sites[0].properties, "functionAppConfig.scaleAndConcurrency") if sites else {}
    if at(scale, "triggers.http.perInstanceConcurrency") != given.get("perInstanceConcurrency", 16):
        yield "perInstanceConcurrency is not what the parameter says"
    warm = given.get("alwaysReadyInstances", 0)
    for name in ("maximumInstanceCount", "instanceMemoryMB"):
        if scale.get(name) != given[name]:
            yield f"{name} is not what the parameter says"
    if scale.get("alwaysReady") != ([{"name": "http", "instanceCount": warm}] if warm else []):
        yield "alwaysReady is not what the parameter says"


def _platform(made: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in of(made, SETTINGS):
        for name, expected in PLATFORM.items():
            if one.properties.get(name) != expected:
                yield f"{one}: {name} must be {expected!r}"
        for name, value in one.properties.items():
            if name.endswith("_API_KEY") and value:
                yield f"{one}: {name} must be empty: there is an identity"


def _tags(made: Sequence[Resource], given: Given) -> Iterator[str]:
    expected = {**given.get("extraTags", {}), "azd-env-name": given["environmentName"]}
    for one in made:
        if "tags" in one.body and expected.items() - one.body["tags"].items():
            yield f"{one}: its tags must have {expected}"
    untagged = [one for one in made if "location" in one.body and "tags" not in one.body]
    yield from (f"{one}: it has no tags" for one in untagged)


def _leaks(made: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in made:
        if one.type != SETTINGS and SECRET in repr(one.body):
            yield f"{one}: a secret stands in it"


_RULES: Final[Sequence[Callable[[Sequence[Resource], Given], Iterator[str]]]] = (
    _fixed, _search, _roles, _places, _logs, _storage, _app, _platform, _tags, _leaks,
)  # fmt: skip
