"""Who the app is, and whom App Service lets in: the one identity, the names of its roles, the accepted audiences."""

from collections.abc import Iterator, Sequence
from typing import Final

from tests.infra.functions import FUNCTIONS, TENANT
from tests.infra.policy import SETTINGS, SITE, Given
from tests.infra.values import Resource, at, bare, of

IDENTITY: Final = "Microsoft.ManagedIdentity/userAssignedIdentities"
_POLICY: Final = "identityProviders.azureActiveDirectory.validation.defaultAuthorizationPolicy"
AUTHENTICATION: Final = "Microsoft.Web/sites/config/authsettingsV2"


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the resources of one scenario breaks a rule."""
    yield from _identity(resources)
    yield from _roles(resources)
    yield from _authentication(resources, given)


def _identity(resources: Sequence[Resource]) -> Iterator[str]:
    expected = [one.id for one in of(resources, IDENTITY)]
    for one in of(resources, SITE):
        storage = "properties.functionAppConfig.deployment.storage.authentication.userAssignedIdentityResourceId"
        found = {
            "identity": [bare(id) for id in at(one.body, "identity.userAssignedIdentities") or {}],
            "keyVaultReferenceIdentity": [bare(one.properties.get("keyVaultReferenceIdentity"))],
            storage.removeprefix("properties."): [bare(at(one.body, storage))],
        }
        yield from (f"{one}: {path} is not the identity" for path, ids in found.items() if ids != expected)


def _roles(resources: Sequence[Resource]) -> Iterator[str]:
    """A name without the principal blocks the same role for the identity that replaces a deleted identity."""
    for one in of(resources, "Microsoft.Authorization/roleAssignments"):
        role = str(one.properties.get("roleDefinitionId")).rpartition("/")[2]
        scope = one.scope.id if one.scope else ""
        if one.body["name"] != FUNCTIONS["guid"].value(scope, one.properties.get("principalId"), role):
            yield f"{one}: its name is made of what it is on, the principal and the role"


def _authentication(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    found, client = of(resources, AUTHENTICATION), given.get("authClientId", "")
    if bool(found) is not bool(client):
        yield "App Service authentication is there exactly when it is asked for"
    expected = {
        "platform.enabled": True,
        "identityProviders.azureActiveDirectory.enabled": True,
        "identityProviders.azureActiveDirectory.registration.clientId": client,
        "identityProviders.azureActiveDirectory.registration.openIdIssuer": (
            f"https://login.microsoftonline.com/{given.get('authTenantId', TENANT)}/v2.0"
        ),
        "identityProviders.azureActiveDirectory.validation.allowedAudiences": [client, f"api://{client}"],
        f"{_POLICY}.allowedApplications": given.get("authAllowedApplications") or None,
        "httpSettings.requireHttps": True,
        "login.tokenStore.enabled": False,
    }
    for one in found:
        wrong = [path for path, value in expected.items() if at(one.properties, path) != value]
        yield from (f"{one}: {path} must be {expected[path]!r}" for path in wrong)
    for one in of(resources, SETTINGS):
        if one.properties.get("APP_SERVICE_AUTH") != ("1" if found else "0"):
            yield f"{one}: APP_SERVICE_AUTH is on exactly where App Service authenticates"
