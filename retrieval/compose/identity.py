"""The identity with which this service calls other services.

The import of `azure.identity` would take a third of the start-up time of an app that uses keys. So it is imported only
if an identity is needed.
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TypeAlias

from azure.core.credentials_async import AsyncTokenCredential

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
