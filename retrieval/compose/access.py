"""Composes the credentials that a deployment accepts (keys, tokens of Entra ID, principals of App Service) and its rate
limits."""

from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from retrieval.access.credentials import Access, Principals
from retrieval.access.imposed_filters import ImposedFilters
from retrieval.access.keys import ApiKeys
from retrieval.access.rights import Roles
from retrieval.ports import Clock, Ticks
from retrieval.settings.settings import Settings

if TYPE_CHECKING:
    from retrieval.access.entra import EntraTokens
    from retrieval.access.rate_limits import RateLimits


def access(settings: Settings, imposed: ImposedFilters | None, stack: AsyncExitStack, *, clock: Clock) -> Access:
    keys = ApiKeys(query=settings.query_keys, admin=settings.admin_keys, bound=settings.base_keys)
    tenant = settings.entra_tenant_id
    if tenant is None:
        return Access(keys=keys)
    roles = Roles(
        retrieve=frozenset(settings.entra_retrieve_roles),
        manage=frozenset(settings.entra_manage_roles),
        bound={base: frozenset(roles) for base, roles in settings.base_roles.items()},
        claims=_kept(settings, imposed),
    )
    authority = f"{settings.entra_authority}/{tenant}"
    tokens, audiences = None, settings.entra_audience
    if audiences:
        tokens = _tokens(tenant, authority, audiences, roles=roles, clock=clock)
        stack.push_async_callback(tokens.close)
    principals = Principals(tenant=tenant, roles=roles) if settings.app_service_auth else None
    return Access(keys=keys, tokens=tokens, principals=principals, authority=authority, audiences=audiences)


def limits(settings: Settings, *, ticks: Ticks) -> "RateLimits | None":
    """The rate limits in the setting LIMITS; None if there are none. In that case the module
    `retrieval.access.rate_limits` is not loaded."""
    if not settings.limits:
        return None
    from retrieval.access.rate_limits import RateLimits

    return RateLimits(settings.limits, ticks=ticks)


def _kept(settings: Settings, imposed: ImposedFilters | None) -> frozenset[str]:
    """The names of the claims that are copied from a token or a principal into the Caller."""
    claims = frozenset[str]() if imposed is None else imposed.claims
    if not settings.limits:
        return claims
    from retrieval.access.rate_limits import NAMING

    return claims | NAMING


def _tokens(tenant: str, authority: str, audiences: tuple[str, ...], *, roles: Roles, clock: Clock) -> "EntraTokens":
    """The check of bearer tokens. The JWT library and its cryptography are loaded only if the deployment accepts
    tokens."""
    from retrieval.access.entra import EntraTokens, Tenant, read_document

    return EntraTokens(
        Tenant(id=tenant, authority=authority, audiences=audiences),
        key_document=partial(read_document, f"{authority}/discovery/v2.0/keys"),
        roles=roles,
        clock=clock,
    )
