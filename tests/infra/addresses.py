"""The references between resources, and the outputs for azd: addresses, names and ids from the right module."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.infra.policy import ACCOUNT, SEARCH, SETTINGS, SITE, Given, group_of
from tests.infra.values import Resource, at, bare, of

_CLIENT: Final = "identity.properties.clientId"
_STORAGE: Final = "account.properties.primaryEndpoints"


def problems(resources: Sequence[Resource], outputs: Mapping[str, Any], given: Given) -> Iterator[str]:
    """What of the settings and outputs of one scenario comes from elsewhere than its name says."""
    settings = {
        **_services(resources, given),
        "AGENTS_STORE": f"{_STORAGE}.table",
        "AZURE_CLIENT_ID": _CLIENT,
        "AzureWebJobsStorage__accountName": _name(resources, ACCOUNT),
        "AzureWebJobsStorage__clientId": _CLIENT,
        "APPLICATIONINSIGHTS_AUTHENTICATION_STRING": f"ClientId={_CLIENT};Authorization=AAD",
        "APPLICATIONINSIGHTS_CONNECTION_STRING": "insights.properties.ConnectionString",
    }
    for one in of(resources, SETTINGS):
        yield from _compared(f"{one}: ", one.properties, settings)
    for one in of(resources, SITE):
        packages = {"deployment.storage.value": f"{_STORAGE}.blobpackages"}
        found = at(one.properties, "functionAppConfig.deployment.storage.value")
        yield from _compared(f"{one}: ", {"deployment.storage.value": found}, packages)
    yield from _compared("main.bicep: the output ", outputs, _outputs(resources, given))


def _services(resources: Sequence[Resource], given: Given) -> Mapping[str, str]:
    return {
        "AZURE_SEARCH_ENDPOINT": f"https://{_name(resources, SEARCH)}.search.windows.net",
        "AZURE_OPENAI_ENDPOINT": "" if given.get("planner") == "none" else "account.properties.endpoint",
    }


def _outputs(resources: Sequence[Resource], given: Given) -> Mapping[str, str]:
    return {
        **_services(resources, given),
        "AZURE_RESOURCE_GROUP": group_of(given),
        "AZURE_FUNCTION_APP_NAME": _name(resources, SITE),
        "RETRIEVAL_ENDPOINT": "https://site.properties.defaultHostName",
        "AGENTS_STORE": f"{_STORAGE}.table",
        "SERVICE_PRINCIPAL_ID": "identity.properties.principalId",
    }


def _compared(where: str, found: Mapping[str, Any], expected: Mapping[str, str]) -> Iterator[str]:
    for name, value in expected.items():
        if bare(found.get(name)) != value:
            yield f"{where}{name} is {bare(found.get(name))!r}, not {value!r}"


def _name(resources: Sequence[Resource], type_name: str) -> str:
    return next((str(one.body["name"]) for one in of(resources, type_name)), "")
