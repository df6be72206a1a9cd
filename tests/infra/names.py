"""Names that stand in several places: settings, azd's service, parameters."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from retrieval.settings import Settings
from tests.infra import outside
from tests.infra.policy import SETTINGS, SITE
from tests.infra.tree import Declaration, File, text_of
from tests.infra.values import Resource

PLATFORM: Final = frozenset(
    {
        "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
        "APPLICATIONINSIGHTS_CONNECTION_STRING",
        "AzureWebJobsDisableHomepage",
        "AzureWebJobsStorage__accountName",
        "AzureWebJobsStorage__clientId",
        "AzureWebJobsStorage__credential",
        "OTEL_TRACES_SAMPLER",
        "OTEL_TRACES_SAMPLER_ARG",
        "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY",
    }
)
NOT_DEPLOYED: Final = frozenset({"LOCAL", "LOCAL_CORPORA", "IN_AZURE", "PLATFORM_AUTH"})
"""Settings for a developer's machine, and two that Azure sets itself."""


def settings(resources: Sequence[Resource]) -> Iterator[str]:
    """The app settings are the fields of Settings, no more and no less."""
    expected = {field.name.upper() for field in fields(Settings)} - NOT_DEPLOYED
    found = {name for one in resources if one.type == SETTINGS for name in one.properties} - PLATFORM
    yield from (f"the setting {name} is not among the app settings" for name in sorted(expected - found))
    yield from (f"the app setting {name} is no setting" for name in sorted(found - expected))


def service(resources: Sequence[Resource], azure_yaml: str) -> Iterator[str]:
    """azd finds the app by its tag, which names the one service of azure.yaml."""
    services: Mapping[str, Mapping[str, str]] = outside.read_yaml(azure_yaml)["services"]
    tags = [one.body.get("tags", {}).get("azd-service-name") for one in resources if one.type == SITE]
    if tags != list(services):
        yield f"azure.yaml has the services {list(services)}, the app's tag azd-service-name is {tags}"
    for name, one in services.items():
        if (one.get("project"), one.get("language"), one.get("host")) != (".", "python", "function"):
            yield f"the service {name} is a Python function app in this folder"


def parameters(main: File, text: str) -> Iterator[str]:
    """What azd passes are parameters of main.bicep with the same defaults, none that is needed is missing."""
    given: Mapping[str, Mapping[str, Any]] = json.loads(text)["parameters"]
    taken = {one.name: one for one in main.of("parameter")}
    yield from (f"main.parameters.json: {name} is no parameter" for name in sorted(set(given) - set(taken)))
    needed = {name for name, one in taken.items() if one.value is None}
    yield from (f"main.parameters.json: {name} is missing" for name in sorted(needed - set(given)))

    for name in sorted(set(given) & set(taken)):
        default, literal = _default(given[name]["value"]), _literal(taken[name])
        if default is not None and default != literal:
            yield f"main.parameters.json: {name} is {default!r} by default, in main.bicep it is {literal!r}"


def _default(value: Any) -> str | None:
    """What azd passes where the variable is not set; None where it passes nothing."""
    _, equals, default = str(value).removeprefix("${").removesuffix("}").partition("=")
    return default if equals else None


def _literal(parameter: Declaration) -> str | None:
    if parameter.value is None:
        return None
    return text_of(parameter.value) if parameter.value.kind == "string" else parameter.value.text


def twice(resources: Sequence[Resource]) -> Iterator[str]:
    """Two resources of one type and parent have two names, or the later one replaces the earlier."""
    counted = Counter((one.scope.id if one.scope else "", one.id) for one in resources)
    yield from (f"{id} is deployed {times} times" for (_, id), times in counted.items() if times > 1)


def passed(text: str) -> dict[str, Any]:
    """What azd passes when only the name of the environment and its region are set, with the types it gives them.

    It leaves out what is empty because its variable is not set.
    """
    given: Mapping[str, Mapping[str, Any]] = json.loads(text)["parameters"]
    usual = {"AZURE_ENV_NAME": "demo", "AZURE_LOCATION": "westeurope"}
    found: dict[str, Any] = {}
    for name, entry in given.items():
        if not isinstance(entry["value"], str):
            found[name] = entry["value"]
            continue
        variable, _, default = entry["value"].removeprefix("${").removesuffix("}").partition("=")
        value = usual.get(variable, default)
        if not value:
            continue
        found[name] = json.loads(value) if value in {"true", "false"} or value.isdigit() else value
    return found
