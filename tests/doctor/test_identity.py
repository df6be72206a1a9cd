"""National clouds: the audience that a setting names is told from a wrong one, by the address of the service."""

from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from retrieval.doctor import identity
from retrieval.doctor.checks import Deployment
from retrieval.doctor.definitions import DefinitionSet
from retrieval.doctor.services import Backend, BackendCaller
from retrieval.http.rooms import Stores
from retrieval.model.definitions import ModelDeployment
from retrieval.model.finding import Finding
from retrieval.outgoing.access_tokens import NoToken, Token
from retrieval.outgoing.connections import HttpAnswer, HttpRequest, Silence
from retrieval.settings.settings import Settings

GOVERNMENT: Final = {
    "azure_search_audience": "https://search.azure.us",
    "azure_openai_audience": "https://cognitiveservices.azure.us",
}


class Given:
    """An identity that gets a token for any audience but `unknown`, and notes which were asked for."""

    kind = "ManagedIdentityCredential"

    def __init__(self, unknown: str = "") -> None:
        self.unknown = unknown
        self.asked: list[str] = []

    async def get(self, audience: str) -> Token | NoToken:
        self.asked.append(audience)
        if audience == self.unknown:
            return NoToken(code="AADSTS500011", message="AADSTS500011: The resource principal was not found.")
        return Token(value="TOKEN")


async def nowhere(request: HttpRequest) -> HttpAnswer | Silence:
    return Silence(why="name")


async def examined(
    domain: str, given: Given, known: Mapping[str, str] | None = None, *, in_azure: bool = True
) -> Sequence[Finding]:
    """The findings about the identity of a deployment whose services are at a domain."""
    known = known or {}
    made = Settings(
        in_azure=in_azure,
        azure_search_audience=known.get("azure_search_audience", "https://search.azure.com"),
        azure_openai_audience=known.get("azure_openai_audience", "https://cognitiveservices.azure.com"),
        azure_authority_host=known.get("azure_authority_host"),
    )
    deployment = Deployment(
        settings=made,
        problems=(),
        configured=DefinitionSet(),
        stores=Stores(),
        search=Backend(
            kind="search",
            title="Azure AI Search",
            setting="AZURE_SEARCH",
            endpoint=f"https://contoso.search.azure.{domain}" if domain != "com" else "https://c.search.windows.net",
            audience=made.azure_search_audience,
            resources="search service",
        ),
        models=(ModelDeployment(endpoint=f"https://contoso.openai.azure.{domain}", deployment="planner"),),
        caller=BackendCaller(ask=nowhere, identity=given),
        rooms={},
    )
    return [one for one in await deployment.examine(lambda finding: None) if one.subject == "identity"]


@pytest.mark.parametrize(("domain", "settings"), [("com", {}), ("us", GOVERNMENT)])
async def test_the_audiences_of_the_services_cloud_are_right(domain: str, settings: dict[str, str]) -> None:
    given = Given()
    assert [one.state for one in await examined(domain, given, settings)] == ["ok", "ok"]
    assert set(given.asked) == {f"https://search.azure.{domain}", f"https://cognitiveservices.azure.{domain}"}


@pytest.mark.parametrize(("domain", "title"), [("us", "Azure US Government"), ("cn", "Azure in China")])
async def test_those_of_another_cloud_are_told_with_the_setting(domain: str, title: str) -> None:
    found = await examined(domain, Given())
    assert [one.state for one in found] == ["fault", "fault"]
    assert title in found[0].said
    assert found[0].do == f"Set AZURE_SEARCH_AUDIENCE=https://search.azure.{domain}"
    assert found[1].do == f"Set AZURE_OPENAI_AUDIENCE=https://cognitiveservices.azure.{domain}"


async def test_another_clouds_audience_in_the_public_one_is_wrong_too() -> None:
    found = await examined("com", Given(), GOVERNMENT)
    assert [one.do for one in found] == [
        "Set AZURE_SEARCH_AUDIENCE=https://search.azure.com",
        "Set AZURE_OPENAI_AUDIENCE=https://cognitiveservices.azure.com",
    ]


async def test_an_audience_that_the_tenant_does_not_know_names_the_setting() -> None:
    [search, _] = await examined("us", Given(unknown="https://search.azure.us"), GOVERNMENT)
    assert search.said == "No token: the tenant knows no resource https://search.azure.us (AADSTS500011)."
    assert search.do.startswith("Set AZURE_SEARCH_AUDIENCE to the audience of the cloud that the tenant is in")


async def test_outside_azure_the_authority_is_of_the_same_cloud() -> None:
    found = await examined("us", Given(), GOVERNMENT, in_azure=False)
    assert [one.state for one in found] == ["warning", "ok", "warning", "ok"]
    assert found[0].do == "Set AZURE_AUTHORITY_HOST=https://login.microsoftonline.us"
    there = {**GOVERNMENT, "azure_authority_host": "https://login.microsoftonline.us"}
    assert [one.state for one in await examined("us", Given(), there, in_azure=False)] == ["ok", "ok"]
    elsewhere = {**GOVERNMENT, "azure_authority_host": "https://login.chinacloudapi.cn"}
    found = await examined("us", Given(), elsewhere, in_azure=False)
    assert [one.state for one in found] == ["fault", "fault"]
    assert "az cloud set --name AzureUSGovernment" in found[0].do


@pytest.mark.parametrize(
    ("endpoint", "title"),
    [
        ("https://a.table.core.windows.net", "the public cloud"),
        ("https://a.table.core.usgovcloudapi.net", "Azure US Government"),
        ("https://a.cognitiveservices.azure.cn", "Azure in China"),
        ("https://a.services.ai.azure.com", "the public cloud"),
        ("http://127.0.0.1:7072", None),
        ("https://search.contoso.com", None),
        ("https://a.search.windows.net.evil.example", None),
    ],
)
def test_an_address_tells_its_cloud(endpoint: str, title: str | None) -> None:
    found = identity.cloud_of(endpoint)
    assert (None if found is None else found.title) == title
