"""Names that occur in several places: settings, azd's service, parameters."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from retrieval.compose.rooms import NAMES
from tests.infra import outside
from tests.infra.functions import TENANT
from tests.infra.policy import SETTINGS, SITE
from tests.infra.tools import azd
from tests.infra.tree import Declaration, File, text_of
from tests.infra.values import SECRET, Resource
from tools.settings_files import LOCAL_ONLY, OF_PLATFORM

PLATFORM: Final = frozenset(
    {
        "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
        "APPLICATIONINSIGHTS_CONNECTION_STRING",
        "AzureWebJobsDisableHomepage",
        "AzureWebJobsStorage__accountName",
        "AzureWebJobsStorage__clientId",
        "AzureWebJobsStorage__credential",
        "OTEL_RESOURCE_ATTRIBUTES",
        "OTEL_TRACES_SAMPLER",
        "OTEL_TRACES_SAMPLER_ARG",
        "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY",
    }
)
FROM_RESOURCES: Final = frozenset({"AGENTS_STORE", "AZURE_CLIENT_ID", "AZURE_OPENAI_ENDPOINT", "AZURE_SEARCH_ENDPOINT"})
"""Settings whose values `addresses` holds."""

PERSON: Final = "00000000-0000-0000-0000-00000000000e"
USUAL: Final[Mapping[str, str]] = {
    "AZURE_ENV_NAME": "demo",
    "AZURE_LOCATION": "westeurope",
    "AZURE_PRINCIPAL_ID": PERSON,
    "AZURE_PRINCIPAL_TYPE": "User",
}
"""What azd knows by itself where a person deploys."""

ADMITTED: Final[Mapping[str, str]] = {"API_KEYS": SECRET}
"""What a deployment says at least: who is admitted."""

USUAL_LIMITS: Final = {"*": {"minute": 3_000}}
"""What a caller may ask of an instance where nobody says LIMITS."""

HOOKS: Final = {
    "posix": ("sh", "python3", "$RETRIEVAL_ENDPOINT"),
    "windows": ("pwsh", "python", "$env:RETRIEVAL_ENDPOINT"),
}
AZD: Final = ">= 1.23.4"
SAID_BY_AZD: Final = frozenset(USUAL)


def settings(resources: Sequence[Resource]) -> Iterator[str]:
    """The app settings are those of every deployment and of the rooms, no more and no less."""
    expected = NAMES - LOCAL_ONLY - OF_PLATFORM
    found = {name for one in resources if one.type == SETTINGS for name in one.properties} - PLATFORM
    yield from (f"the setting {name} is not among the app settings" for name in sorted(expected - found))
    yield from (f"the app setting {name} is no setting" for name in sorted(found - expected))


def said(resources: Sequence[Resource], given: Mapping[str, Any]) -> Iterator[str]:
    """Each setting has the value of its own parameter, and is empty where it has none; what is given by name wins."""
    token = bool(given.get("entraAudience") or given.get("authClientId"))
    fields = given.get("indexFields") or {}
    expected = {
        "AZURE_OPENAI_DEPLOYMENT": "" if given["planner"] == "none" else given["modelDeployment"],
        "API_KEYS": given.get("apiKeys", ""),
        "ADMIN_API_KEYS": given.get("adminApiKeys", ""),
        "ENTRA_TENANT_ID": (given.get("authTenantId") or TENANT) if token else "",
        "ENTRA_AUDIENCE": given.get("entraAudience", ""),
        "APP_SERVICE_AUTH": "1" if given.get("authClientId") else "0",
        "AGENTS_FILE": given.get("agentsFile", ""),
        "LIMITS": json.dumps(given.get("limits") or USUAL_LIMITS, separators=(",", ":")),
        "ALERTS_REACH_NOBODY": "" if given.get("alertEmail") or given.get("alertActionGroupId") else "1",
        "HEARTBEAT": "1" if given.get("heartbeat") else "",
        "STREAM_EVENTS": "1" if given.get("streamEvents") else "",
        "INDEX_FIELDS": json.dumps(fields, separators=(",", ":")) if fields else "",
        "MAX_CONCURRENT_REQUESTS": str(given["maxConcurrentRequests"]),
        **(given.get("moreSettings") or {}),
    }
    for one in (one for one in resources if one.type == SETTINGS):
        for name, value in one.properties.items():
            if name not in {*PLATFORM, *FROM_RESOURCES} and value != expected.get(name, ""):
                yield f"{one}: {name} has the value of something else"


def service(resources: Sequence[Resource], azure_yaml: str) -> Iterator[str]:
    """azd finds the app by its tag, which names the one service of azure.yaml."""
    said: Mapping[str, Any] = outside.read_yaml(azure_yaml)
    services: Mapping[str, Mapping[str, Any]] = said["services"]
    tags = [one.body.get("tags", {}).get("azd-service-name") for one in resources if one.type == SITE]
    if tags != list(services):
        yield f"azure.yaml has the services {list(services)}, the app's tag azd-service-name is {tags}"
    for name, one in services.items():
        if (one.get("project"), one.get("language"), one.get("host")) != (".", "python", "function"):
            yield f"the service {name} is a Python function app in this folder"
        if one.get("remoteBuild") is not True:
            yield f"the service {name} is built where it runs: remoteBuild is true"
    if said.get("requiredVersions") != {"azd": AZD}:
        yield f"azure.yaml asks for azd {AZD}, the first that reads objects from JSON"


def hooks(azure_yaml: str) -> Iterator[str]:
    """`azd up` ends with the doctor, on every system; what it finds undoes no deployment."""
    said: Mapping[str, Any] = outside.read_yaml(azure_yaml)
    found: Mapping[str, Mapping[str, Any]] = said.get("hooks", {}).get("postup", {})
    for system, (shell, python, address) in HOOKS.items():
        expected = {
            "shell": shell,
            "run": f'{python} -m retrieval.doctor --app "{address}" --wait 180',
            "continueOnError": True,
            "interactive": False,
        }
        if found.get(system) != expected:
            yield f"the hook postup of {system} is {found.get(system)}, not {expected}"


def parameters(main: File, text: str) -> Iterator[str]:
    """azd passes every parameter of main.bicep from a variable of its own, with one default, and reads it as meant."""
    given: Mapping[str, Mapping[str, Any]] = json.loads(text)["parameters"]
    taken = {one.name: one for one in main.of("parameter")}
    yield from (f"main.parameters.json: {name} is no parameter" for name in sorted(set(given) - set(taken)))
    yield from (f"main.parameters.json: {name} is missing" for name in sorted(set(taken) - set(given)))
    counted = Counter(name for one in given.values() for name in azd.variables(one["value"]))
    yield from (f"main.parameters.json: {name} is read {times} times" for name, times in counted.items() if times > 1)
    for name in sorted(set(given) & set(taken)):
        yield from (f"main.parameters.json: {name} {problem}" for problem in _passed(taken[name], given[name]["value"]))


def _passed(parameter: Declaration, value: Any) -> Iterator[str]:
    found = re.fullmatch(r"\$\{([A-Z][A-Z0-9_]*)(?:=([^}]*))?\}", str(value))
    if found is None:
        yield f"is {value!r}, not the value of one variable"
        return
    variable, default, literal = found[1], found[2], _literal(parameter)
    if variable in SAID_BY_AZD:
        return
    if parameter.type in {"bool", "int"}:
        if literal is not None:
            yield "has a default in main.bicep, which azd takes for what it cannot read, without a word"
        if azd.parsed(parameter.type, default or "") is None:
            yield f"is {default!r} by default, which is no {parameter.type}"
    elif parameter.type in azd.JSON_TYPES:
        if (default, literal) != ("null", ""):
            yield f"is {default!r} by default: an empty variable must be null, and main.bicep's default an empty one"
    elif default is None or default != literal:
        yield f"is {default!r} by default, in main.bicep it is {literal!r}"


def _literal(parameter: Declaration) -> str | None:
    """The default as azd sees it in the compiled template: an expression is in brackets."""
    if parameter.value is None:
        return None
    text = text_of(parameter.value)
    if text is not None:
        return text
    empty = parameter.value.kind in azd.JSON_TYPES and not parameter.value.children
    return "" if empty else f"[{parameter.value.text}]"


def declared(main: File) -> dict[str, azd.Parameter]:
    """The parameters of the compiled template."""
    return {one.name: azd.Parameter(type=one.type, default=_literal(one)) for one in main.of("parameter")}


def variables(text: str) -> set[str]:
    """The variables that azd reads."""
    given: Mapping[str, Mapping[str, Any]] = json.loads(text)["parameters"]
    return {name for one in given.values() for name in azd.variables(one["value"])}


def passed(main: File, text: str, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What azd passes when only the name of the environment, its region and a key are set, and what `environ` says."""
    return azd.given(text, declared(main), {**USUAL, **ADMITTED, **(environ or {})}.get)


def twice(resources: Sequence[Resource]) -> Iterator[str]:
    """Two resources of one type and parent have two names, or the later one replaces the earlier."""
    counted = Counter((one.scope.id if one.scope else "", one.id) for one in resources)
    yield from (f"{id} is deployed {times} times" for (_, id), times in counted.items() if times > 1)
