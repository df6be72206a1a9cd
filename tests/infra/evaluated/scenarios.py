"""The scenarios, and the lines of each."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.infra import check, outside
from tests.infra.evaluate import Template
from tests.infra.functions import FUNCTIONS, SUBSCRIPTION
from tests.infra.symbols import used
from tests.infra.tree import Declaration, File, members
from tests.infra.values import SECRET, Resource, leaves

DEFAULT: Final = "default"

SCENARIOS: Final[Mapping[str, Mapping[str, Any]]] = {
    DEFAULT: {},
    "private": {"privateNetwork": True, "publicApp": False, "searchVectorizes": True, "heartbeat": True},
    "existing": {
        **check.LANDING_ZONE,
        "existingSearchName": "their-search",
        "existingSearchResourceGroup": "rg-search",
        "existingSearchSubscription": check.CLIENT,
        "searchVectorizes": True,
        "planner": "existing",
        "existingModelResource": "their-model",
        "existingModelResourceGroup": "rg-model",
        "existingModelSubscription": check.OTHER,
        "modelDeployment": "their-deployment",
    },
    "keys": {
        "apiKeys": "@Microsoft.KeyVault(SecretUri=https://there/one)",
        "adminApiKeys": "@Microsoft.KeyVault(SecretUri=https://there/two)",
        "moreSettings": {"ACCESS_KEYS": SECRET, "LOG_CONTENT": "1"},
        "searchLocalAuth": True,
        "deployerRoles": False,
        "planner": "none",
    },
    "entra": {
        "apiKeys": "",
        "entraAudience": "api://retrieval",
        "authClientId": check.CLIENT,
        "authTenantId": check.OTHER,
        "authAllowedApplications": [check.OTHER],
        "principalType": "ServicePrincipal",
    },
    "other": {
        "location": "swedencentral",
        "environmentName": "prod",
        "resourceGroupName": "rg-of-its-own",
        "extraTags": {"costCenter": "4711"},
        "instanceMemoryMB": 4096,
        "maximumInstanceCount": 41,
        "perInstanceConcurrency": 17,
        "alwaysReadyInstances": 3,
        "siteUpdateStrategy": "RollingUpdate",
        "storageSku": "Standard_ZRS",
        "maxConcurrentRequests": 65,
        "agentsFile": "agents.json",
        "frontDoorId": check.CLIENT,
        "streamEvents": True,
        "indexFields": {"handbook": {"key": "id"}},
        "limits": {"*": {"minute": 60}},
        "searchSku": "standard",
        "searchReplicas": 2,
        "searchPartitions": 6,
        "semanticRanker": "free",
        "modelDeployment": "other-planner",
        "modelName": "other-model",
        "modelVersion": "2027-01-01",
        "modelSku": "DataZoneStandard",
        "modelCapacity": 101,
        "privateNetwork": True,
        "networkAddressPrefix": "10.30.0.0/24",
        "appSubnetPrefix": "10.30.0.0/26",
        "endpointSubnetPrefix": "10.30.0.64/27",
        "monitorPrivateLink": False,
        "privateDns": "none",
        "alertEmail": "operators@example.org",
        "traceSampler": "microsoft.rate_limited",
        "tracesPerSecond": 6,
        "logRetentionDays": 31,
        "logDailyCapGB": 7,
        "alertErrorPercent": 8,
        "alertLatencyMs": 901,
        "alertThrottledPercent": 11,
        "budgetAmount": 900,
        "budgetStart": "2026-12-01",
        "runbook": "https://wiki/runbook",
        "diagnosticSettings": False,
    },
}
"""As nothing is said but a key; private; all that may be there already; keys; Entra; and every other parameter, each
with a value that no default has."""


def texts(sources: Mapping[str, str] | None = None) -> dict[str, str]:
    """The golden files of these sources, or of the project's."""
    sources = outside.sources() if sources is None else sources
    files = check.parsed(sources)
    lines = {name: _lines(files, sources, given) for name, given in SCENARIOS.items()}
    default = lines[DEFAULT]
    found = {DEFAULT: [*default, *_static(files)]}
    for name in SCENARIOS.keys() - {DEFAULT}:
        gone, come = (sorted(set(one) - set(other)) for one, other in ((default, lines[name]), (lines[name], default)))
        found[name] = [*(f"- {line}" for line in gone), *(f"+ {line}" for line in come)]
    return {name: "\n".join([*found[name], ""]) for name in SCENARIOS}


def _lines(files: Mapping[str, File], sources: Mapping[str, str], given: Mapping[str, Any]) -> list[str]:
    """Every value of every resource, and the outputs; the ending of made-up names is `~`."""
    template: Template = check.deploy(files, sources, given)
    whole = check.all_of(files, sources, given)
    ending = FUNCTIONS["uniqueString"].value(
        f"/subscriptions/{SUBSCRIPTION}", whole["environmentName"], whole["location"]
    )
    made = [line for one in template.resources for line in _of_resource(one)]
    outputs = [f"output {name} = {_text(value)}" for name, value in template.outputs.items()]
    return [line.replace(ending, "~") for line in [*sorted({*made, *outputs}), *template.problems]]


def _of_resource(one: Resource) -> Iterator[str]:
    name = _name(one)
    where = f"{one.place.group} of {one.place.subscription[-1:]}"
    if one.existing:
        yield f"{name}: is there, in {where}"
        return
    yield f"{name}: in {where}"
    for path, value in leaves({key: value for key, value in one.body.items() if key != "name"}):
        inner = json.loads(value) if path.endswith("serializedData") else value
        yield from (f"{name}: {inner_path} = {_text(leaf)}" for inner_path, leaf in leaves(inner, path))


def _name(one: Resource) -> str:
    if one.type == "Microsoft.Authorization/roleAssignments":
        return f"role of {one.properties['principalId']} on {one.scope.id if one.scope else '-'} by {one.symbol}"
    on = f" on {one.scope.id}" if one.scope is not None else ""
    return f"{one.id.removeprefix('/Microsoft.')}{on}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _static(files: Mapping[str, File]) -> Iterator[str]:
    """What no value shows: the limits of parameters, and what waits for what."""
    for path, file in sorted(files.items()):
        for one in file.declarations:
            if one.kind == "parameter":
                limits = " ".join(_limit(name, node) for name, node in sorted(one.decorators.items()))
                yield f"{path} {one.name}: {one.type} {limits}".rstrip()
            if one.kind in {"module", "resource"}:
                yield f"{path} {one.name}: waits for {' '.join(sorted(_waits(file, one)))}".removesuffix(" waits for ")


def _limit(name: str, node: Any) -> str:
    if name == "description":
        return ""
    return f"{name}({' '.join(child.text for one in node.part('arguments').children for child in one.walk())})"


def _waits(file: File, one: Declaration) -> set[str]:
    """The modules and resources that it names, through variables too."""
    listed = members(one.value).get("dependsOn") if one.value is not None else None
    ahead = [*used(one), *(child.text for child in listed.children if listed is not None)] if listed else [*used(one)]
    found: set[str] = set()
    seen: set[str] = set()
    while ahead:
        name = ahead.pop()
        declared = file.named(name)
        if declared is None or name in seen:
            continue
        seen.add(name)
        if declared.kind == "variable":
            ahead += used(declared)
        elif declared.kind in {"module", "resource"}:
            found.add(name)
    return found
