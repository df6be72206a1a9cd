"""Composes the credentials that a deployment accepts (keys, tokens of Entra ID, principals of App Service), and the
identity with which this service calls other services.

The import of `azure.identity` would take a third of the start-up time of an app that uses keys. So it is imported only
if an identity is needed.
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from azure.core.credentials_async import AsyncTokenCredential

from retrieval.access.credentials import Access, ApiKeys, Roles, caller_of_principal
from retrieval.access.imposed_filters import ImposedFilters
from retrieval.access.rate_limits import NAMING
from retrieval.compose.rooms import KEY_HEADERS
from retrieval.ports import Clock
from retrieval.settings.settings import Settings

Identity: TypeAlias = Callable[[], AsyncTokenCredential]


def identity(settings: Settings, held: AsyncExitStack) -> AsyncTokenCredential:
    """The managed identity in Azure; on a developer's machine the identity that `DefaultAzureCredential` finds."""
    from azure.identity.aio import DefaultAzureCredential, ManagedIdentityCredential

    credential: ManagedIdentityCredential | DefaultAzureCredential
    if settings.in_azure:
        credential = ManagedIdentityCredential(client_id=settings.azure_client_id)
    else:
        credential = DefaultAzureCredential(authority=settings.azure_authority_host)
    held.push_async_callback(credential.close)
    return credential


def access(settings: Settings, imposed: ImposedFilters | None, held: AsyncExitStack, *, clock: Clock) -> Access:
    """The credentials that a deployment accepts. The JWT library and its cryptography are loaded only if the deployment
    accepts tokens. The claims that rules or limits name are copied from a token or a principal into the Caller."""
    keys = ApiKeys(query=settings.query_keys, admin=settings.admin_keys, bound=settings.base_keys)
    of_keys = Access(keys=keys, key_headers=KEY_HEADERS)
    tenant, audiences = settings.entra_tenant_id, settings.entra_audience
    if tenant is None:
        return of_keys
    claims = frozenset[str]() if imposed is None else imposed.claims
    roles = Roles(
        retrieve=frozenset(settings.entra_retrieve_roles),
        manage=frozenset(settings.entra_manage_roles),
        bound={base: frozenset(roles) for base, roles in settings.base_roles.items()},
        claims=claims | NAMING if settings.limits else claims,
    )
    authority = f"{settings.entra_authority}/{tenant}"
    of_principal = partial(caller_of_principal, tenant=tenant, roles=roles)
    principals = of_principal if settings.app_service_auth else None
    admitted = replace(of_keys, principals=principals, authority=authority, audiences=audiences)
    if not audiences:
        return admitted
    from retrieval.access.entra import EntraTokens, Tenant, read_document

    tokens = EntraTokens(
        Tenant(id=tenant, authority=authority, audiences=audiences),
        key_document=partial(read_document, f"{authority}/discovery/v2.0/keys"),
        roles=roles,
        clock=clock,
    )
    held.push_async_callback(tokens.close)
    return replace(admitted, tokens=tokens.caller)
