"""The clouds of Azure, each with its addresses and its token audiences.

Audiences of Azure AI Search:
https://learn.microsoft.com/python/api/azure-search-documents/azure.search.documents.knownsearchaudience

Storage has the same audience in every cloud:
https://learn.microsoft.com/azure/storage/blobs/authorize-access-azure-active-directory
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

STORAGE_AUDIENCE: Final = "https://storage.azure.com"

Kind: TypeAlias = Literal["search", "model", "storage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A cloud. `domain` is the last part of most of its token audiences and service addresses. The addresses of tables
    end with `storage`."""

    title: str
    name: str
    authority: str
    domain: str
    storage: str

    def audience(self, kind: Kind) -> str:
        """The audience of a token for a service."""
        if kind == "storage":
            return STORAGE_AUDIENCE
        return f"https://{'search' if kind == 'search' else 'cognitiveservices'}.azure.{self.domain}"


PUBLIC: Final = Cloud(
    title="the public cloud",
    name="AzureCloud",
    authority="login.microsoftonline.com",
    domain="com",
    storage="table.core.windows.net",
)
CLOUDS: Final = (
    PUBLIC,
    Cloud(
        title="Azure US Government",
        name="AzureUSGovernment",
        authority="login.microsoftonline.us",
        domain="us",
        storage="table.core.usgovcloudapi.net",
    ),
    Cloud(
        title="Azure in China",
        name="AzureChinaCloud",
        authority="login.chinacloudapi.cn",
        domain="cn",
        storage="table.core.chinacloudapi.cn",
    ),
)


def of_endpoint(endpoint: str) -> Cloud | None:
    """The cloud of an address, by the end of its host name; None for any other host name."""
    host = urlsplit(endpoint).hostname or ""
    return next((cloud for cloud in CLOUDS if host.endswith(_endings(cloud))), None)


def of_authority(authority: str) -> Cloud | None:
    """The cloud of an Entra ID authority; None for any other address."""
    host = urlsplit(authority if "://" in authority else f"https://{authority}").hostname
    return next((cloud for cloud in CLOUDS if cloud.authority == host), None)


def _endings(cloud: Cloud) -> tuple[str, ...]:
    search = ".search.windows.net" if cloud is PUBLIC else f".search.azure.{cloud.domain}"
    models = (f".openai.azure.{cloud.domain}", f".cognitiveservices.azure.{cloud.domain}")
    more = (".services.ai.azure.com",) if cloud is PUBLIC else ()
    return (search, *models, *more, f".{cloud.storage}")
