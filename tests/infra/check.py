"""All checks of the infrastructure over one set of files: the project's, or one with a fault in it."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from tests.infra import addresses, identity, names, network, outside, policy, symbols, watching
from tests.infra.evaluate import Template
from tests.infra.shapes import Shapes
from tests.infra.symbols import used
from tests.infra.tree import Declaration, File, members, read
from tests.infra.values import SECRET

BASE: Final = {"environmentName": "demo", "location": "westeurope"}
CLIENT: Final = "00000000-0000-0000-0000-00000000000c"
OTHER: Final = "00000000-0000-0000-0000-00000000000d"

SCENARIOS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nothing said": {},
    "secrets": {"apiKeys": SECRET, "adminApiKeys": SECRET, "moreSettings": {"API_KEYS": SECRET}},
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
    "Entra": {"entraAudience": "api://retrieval", "authTenantId": OTHER},
    "App Service authentication": {"authClientId": CLIENT},
    "mail": {"alertEmail": "operators@example.org"},
    "other thresholds": {"alertErrorPercent": 7, "alertLatencyMs": 900, "alertThrottledPercent": 11},
}
REFUSED: Final[Mapping[str, Mapping[str, Any]]] = {"an app that nobody reaches": {"publicApp": False}}


def problems(sources: Mapping[str, str], azure_yaml: str) -> list[str]:
    """Everything that is wrong, once each."""
    raw = outside.trees({path: text for path, text in sources.items() if path.endswith(".bicep")})
    files = {path: read(path, tree) for path, tree in raw.items()}
    static = list(symbols.problems(files))
    if any("it is not Bicep" in problem for problem in static):
        return static
    found = [*static, *_waits(files), *names.parameters(files["main.bicep"], sources["main.parameters.json"])]
    for given in _scenarios(files["main.bicep"], sources["main.parameters.json"]):
        found += _scenario(files, sources, given, azure_yaml if not found else None)
    for name, given in REFUSED.items():
        if not deploy(files, sources, given).problems:
            found.append(f"main.bicep: {name} is not refused")
    return list(dict.fromkeys(found))


@cache
def shapes() -> Shapes:
    return Shapes()


def deploy(files: Mapping[str, File], sources: Mapping[str, str], given: Mapping[str, Any]) -> Template:
    """What main.bicep deploys with these parameters besides the ones that it needs."""
    template = Template(files=files, texts=sources, shapes=shapes())
    template.deploy("main.bicep", {**BASE, **given})
    return template


def _scenarios(main: File, parameters: str) -> Iterator[Mapping[str, Any]]:
    """The named ones, what azd passes, and each value that an enumerated parameter or a switch may have."""
    yield from SCENARIOS.values()
    yield names.passed(parameters)
    for one in main.of("parameter"):
        if one.name in {"planner", "publicApp"}:
            continue
        if one.type == "bool":
            yield from ({one.name: value} for value in (True, False))
        if "allowed" in one.decorators:
            choices = one.decorators["allowed"].part("arguments").children[0].children
            for choice in choices:
                yield {one.name: int(choice.text) if choice.kind == "number" else choice.children[0].text}


def _scenario(
    files: Mapping[str, File], sources: Mapping[str, str], given: Mapping[str, Any], azure_yaml: str | None
) -> Iterator[str]:
    template = deploy(files, sources, given)
    yield from template.problems
    made = [one for one in template.resources if not one.existing]
    for one in made:
        yield from (f"{one}: {problem}" for problem in shapes().problems(one.type, one.body))
    if template.problems:
        return
    for rules in (policy, network, watching, identity):
        yield from rules.problems(template.resources, {**BASE, **given})
    yield from addresses.problems(template.resources, template.outputs, given)
    yield from names.settings(made)
    yield from names.twice(made)
    if azure_yaml is not None:
        yield from names.service(made, azure_yaml)


def _waits(files: Mapping[str, File]) -> Iterator[str]:
    """The app starts when its roles are given, and the endpoints are there that it calls out through."""
    main = files["main.bicep"]
    roles = {path for path, file in files.items() for one in file.of("resource") if "roleAssignments" in one.source}
    before = {one.name for one in main.of("module") if one.source in roles} | {"network"}
    for app in (one for one in main.of("module") if one.source == "modules/app.bicep"):
        for name in sorted(before - _reached(main, app)):
            yield f"main.bicep:{app.line}: {app.name}: it does not wait for {name}"


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
