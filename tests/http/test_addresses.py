"""The addresses that clients use, as the host routes them, and what is answered where there is none."""

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import ResourceNotFoundError
from azure.search.documents.indexes.aio import SearchIndexClient

from retrieval.contracts.served_versions import VERSIONS
from retrieval.local.host import Host
from retrieval.local.transport import AsyncInProcessTransport
from tests.conftest import Post, ask
from tests.rooms import NEEDS_MCP, NEEDS_MODEL_STUDIO

VERSION = "api-version=2025-05-01-preview"


@pytest.mark.parametrize(
    "path",
    [
        "/agents('earth-at-night')/retrieve",
        "/agents/earth-at-night/retrieve",
        "/agents(%27earth-at-night%27)/retrieve",
        "/agents%28%27earth-at-night%27%29/retrieve",
        "/agents('earth%2Dat-night')/retrieve",
        "/AGENTS('earth-at-night')/Retrieve",
        "/agents('earth-at-night')/retrieve/",
    ],
)
async def test_every_form_of_the_address_is_the_same_operation(post: Post, path: str) -> None:
    answer = await post(ask("What do city lights show?"), f"{path}?{VERSION}")
    assert answer.status == 200, answer.body


@pytest.mark.parametrize("query", ["api-version=2025-05-01-Preview", "API-Version=2025-05-01-PREVIEW"])
async def test_the_version_is_compared_without_case(post: Post, query: str) -> None:
    assert (await post(ask("city lights"), f"/agents/earth-at-night/retrieve?{query}")).status == 200


async def test_the_version_of_definitions_is_compared_without_case_too(post: Post) -> None:
    target = "/agents?api-version=2025-05-01-PREVIEW"
    assert (await post(b"", target, method="GET", key="local-admin-key")).status == 200


@pytest.mark.parametrize("path", ["//agents('earth-at-night')/retrieve", "//agents/earth-at-night/retrieve", "//"])
async def test_a_slash_too_many_after_the_endpoint_is_answered_by_the_host_alone(post: Post, path: str) -> None:
    answer = await post(ask("What do city lights show?"), f"{path}?{VERSION}")
    assert (answer.status, answer.headers, answer.body) == (404, {}, b"")


async def test_an_agent_called_index_is_an_agent_and_nothing_else(post: Post) -> None:
    answer = await post(ask("hi"), f"/agents/index/retrieve?{VERSION}")
    assert answer.status == 404
    assert "No knowledge agent with the name 'index'" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    "path", ["/", "/agentsx", "/agents()", "/agents//retrieve", "/agents('')/retrieve", "/indexes"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "BREW"])
async def test_what_no_route_takes_is_a_404_in_the_envelope(post: Post, method: str, path: str) -> None:
    answer = await post(b"", f"{path}?{VERSION}", method=method)
    assert answer.status == 404
    assert answer.json["error"]["code"] == "ResourceNotFound"


WRONG = [
    ("/agents", "PUT", "GET, POST"),
    ("/agents/x", "POST", "DELETE, GET, PUT"),
    ("/agents('x')", "PATCH", "DELETE, GET, PUT"),
    ("/agents/x/retrieve", "GET", "POST"),
    ("/Agents('x')/Retrieve/", "GET", "POST"),
    ("/agents/index/retrieve", "GET", "POST"),
    ("/agents/x/answer", "DELETE", "POST"),
    ("/knowledgebases", "DELETE", "GET, POST"),
    ("/KnowledgeBases('x')/", "POST", "DELETE, GET, PUT"),
    ("/knowledgesources/x/status", "PUT", "GET"),
    ("/health", "POST", "GET"),
    ("/ready", "HEAD", "GET"),
    ("/openapi.json", "BREW", "GET"),
    pytest.param("/.well-known/oauth-protected-resource/agents/x/mcp", "POST", "GET", marks=NEEDS_MCP),
]


@pytest.mark.parametrize(("path", "method", "allowed"), WRONG)
async def test_another_method_than_those_of_the_address_is_a_405_that_names_them(
    post: Post, path: str, method: str, allowed: str
) -> None:
    answer = await post(b"", f"{path}?{VERSION}", method=method, key=None)
    assert (answer.status, answer.headers["Allow"]) == (405, allowed)
    assert answer.json["error"]["code"] == "MethodNotAllowed"
    assert f"{method!r} is not served at this address. Served: {allowed}." in answer.json["error"]["message"]


@NEEDS_MODEL_STUDIO
async def test_another_method_is_told_model_studios_callers_in_their_envelope(post: Post) -> None:
    answer = await post(b"", "/llm-local/index/retrieve", method="GET", key=None)
    assert (answer.status, answer.headers["Allow"], answer.json["Code"]) == (405, "POST", "UnsupportedHTTPMethod")


@NEEDS_MCP
@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "HEAD"])
async def test_another_method_is_told_mcps_callers_in_theirs(post: Post, method: str) -> None:
    answer = await post(b"", "/agents/x/mcp", method=method, key=None)
    assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    assert (answer.json["jsonrpc"], answer.json["error"]["data"]["code"]) == ("2.0", "MethodNotAllowed")


@pytest.mark.parametrize("kind", ["knowledgebases", "knowledgesources", "KnowledgeBases", "KNOWLEDGEsources"])
@pytest.mark.parametrize("rest", ["", "/", "/x", "('x')", "(%27x%27)/"])
async def test_a_version_that_has_no_such_thing_is_a_400_that_names_those_that_do(
    post: Post, kind: str, rest: str
) -> None:
    answer = await post(b"", f"/{kind}{rest}?{VERSION}", method="GET", key="local-admin-key")
    assert (answer.status, answer.json["error"]["code"]) == (400, "UnsupportedApiVersion")
    bases = [version for version, routes in VERSIONS.items() if "knowledgebases" in routes]
    assert answer.json["error"]["message"].endswith(f"{', '.join(bases)}.")


async def test_microsofts_client_is_told_that_there_is_none(host: Host) -> None:
    transport, key = AsyncInProcessTransport(host), AzureKeyCredential("local-admin-key")
    async with SearchIndexClient("https://retrieval.invalid", key, transport=transport) as client:
        assert (await client.get_knowledge_base("earth-at-night")).name == "earth-at-night"
        assert (await client.get_knowledge_source("earth_at_night")).name == "earth_at_night"
        for asked in (client.get_knowledge_base("x"), client.get_knowledge_source("x")):
            with pytest.raises(ResourceNotFoundError):
                await asked


async def test_a_name_that_only_begins_so_is_a_404(post: Post) -> None:
    assert (await post({}, f"/knowledgebasesx?{VERSION}")).status == 404


@pytest.mark.parametrize("name", ["o'b r", "%2F..%2F", "%00", "a%0d%0ab", "x" * 5000, "%F0%9F%8C%83", "''", "')"])
async def test_a_hostile_agent_name_is_a_404_or_400_and_never_more(post: Post, name: str) -> None:
    answer = await post(ask("hi"), f"/agents('{name.replace(' ', '%20')}')/retrieve?{VERSION}")
    assert answer.status in {400, 404}
    assert "\r" not in str(answer.headers)


async def test_the_request_id_of_the_client_is_echoed(post: Post) -> None:
    answer = await post(ask("hi"), headers={"x-ms-client-request-id": "579f3f6c-e502-11f1-b273-02fc00000001"})
    assert answer.headers["x-ms-client-request-id"] == "579f3f6c-e502-11f1-b273-02fc00000001"
    assert answer.headers["request-id"]


@pytest.mark.parametrize("hostile", ["a\x01b", "x" * 200, "a b", "é"])
async def test_a_request_id_that_is_no_token_is_not_echoed(post: Post, hostile: str) -> None:
    answer = await post(ask("hi"), headers={"x-ms-client-request-id": hostile})
    assert "x-ms-client-request-id" not in answer.headers
