"""Protected resource metadata (RFC 9728): a client of MCP that signs in finds the tenant, wherever this service is."""

import re
from typing import Final

import pytest

from tests.access.authority import AUDIENCE, TENANT, Authority
from tests.access.conftest import Deploy
from tests.conftest import Post, Response
from tests.mcp_messages import ACCEPT, request
from tests.rooms import NEEDS_MCP

pytestmark = NEEDS_MCP

HOST: Final = "retrieval.example.com"
WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"
ADDRESSES: Final = (
    "/agents/earth-at-night/mcp",
    "/agents/nobody/mcp",
    "/agents/agents/mcp",
    "/knowledgebases/a%20b/mcp",
    "/knowledgebases('earth-at-night')/mcp",
)


def header(answer: Response, name: str) -> str:
    return next((value for key, value in answer.headers.items() if key.lower() == name), "")


async def challenge(post: Post, path: str, method: str = "POST", **headers: str) -> str:
    """The WWW-Authenticate of a call without a credential."""
    sent = {"host": HOST, "accept": ACCEPT, **{name.replace("_", "-"): value for name, value in headers.items()}}
    answer = await post(request("tools/list"), path, key=None, method=method, headers=sent)
    assert answer.status == 401, answer.body
    return header(answer, "www-authenticate")


async def metadata(post: Post, challenge: str, **headers: str) -> Response:
    """What is at the address that a challenge names."""
    (address,) = re.findall(r'resource_metadata="([^"]+)"', challenge)
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    sent = {"host": host, "x-forwarded-proto": scheme, **headers}
    return await post(b"", slash + path, key=None, method="GET", headers=sent)


@pytest.mark.parametrize("path", ADDRESSES)
async def test_a_client_without_a_credential_finds_the_tenant(
    path: str, post: Post, deploy: Deploy, authority: Authority
) -> None:
    deploy(authority.settings)
    told = await challenge(post, path, x_forwarded_proto="https")
    assert told.startswith(f'Bearer authorization_uri="{authority.address}/{TENANT}", ')
    assert f'resource_metadata="https://{HOST}{WELL_KNOWN}{path}"' in told
    assert (await metadata(post, told)).json == {
        "resource": f"https://{HOST}{path}",
        "authorization_servers": [f"{authority.address}/{TENANT}/v2.0"],
        "scopes_supported": [f"{AUDIENCE}/.default"],
        "bearer_methods_supported": ["header"],
    }


async def test_a_token_that_is_refused_is_told_too(post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    for method in ("POST", "GET", "DELETE"):
        told = await challenge(post, ADDRESSES[0], method, authorization=f"Bearer {authority.token(exp=2)}")
        assert 'error="invalid_token"' in told and f"http://{HOST}{WELL_KNOWN}{ADDRESSES[0]}" in told


async def test_the_scope_is_that_of_the_address_where_the_address_is_an_audience(
    post: Post, deploy: Deploy, authority: Authority
) -> None:
    own = f"https://{HOST}{ADDRESSES[0]}"
    deploy(authority.settings, ENTRA_AUDIENCE=f"{AUDIENCE},{own}")
    told = await metadata(post, await challenge(post, ADDRESSES[0], x_forwarded_proto="https"))
    assert (told.json["resource"], told.json["scopes_supported"]) == (own, [f"{own}/.default"])


async def test_behind_a_gateway_both_addresses_are_its_own(post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings, BASE_PATH="/search", PUBLIC_HOSTS="gateway.example.com")
    forwarded = {"x_forwarded_host": "gateway.example.com", "x_forwarded_proto": "https"}
    told = await challenge(post, f"/search{ADDRESSES[0]}", **forwarded)
    assert f'resource_metadata="https://gateway.example.com/search{WELL_KNOWN}{ADDRESSES[0]}"' in told
    assert (await metadata(post, told)).json["resource"] == f"https://gateway.example.com/search{ADDRESSES[0]}"


async def test_a_host_that_anybody_forwards_is_not_believed(post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    told = await challenge(post, ADDRESSES[0], x_forwarded_host="evil.example.com", x_forwarded_proto="gopher")
    assert f"http://{HOST}{WELL_KNOWN}" in told and "evil" not in told and "gopher" not in told


@pytest.mark.parametrize("name", ['a"b', "a b", "a\\", "é", "a,b", "x" * 300])
async def test_a_host_that_is_none_is_not_repeated(name: str, post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    assert "resource_metadata" not in await challenge(post, ADDRESSES[0], host=name)


async def test_without_tokens_there_is_nothing_to_sign_in_to(post: Post, deploy: Deploy) -> None:
    deploy()
    assert await challenge(post, ADDRESSES[0]) == ""
    answer = await post(b"", f"{WELL_KNOWN}{ADDRESSES[0]}", key=None, method="GET")
    assert (answer.status, answer.json["error"]["code"]) == (404, "ResourceNotFound")


async def test_without_settings_the_metadata_is_a_503(post: Post, deploy: Deploy) -> None:
    deploy(LOCAL="0")
    answer = await post(b"", f"{WELL_KNOWN}{ADDRESSES[0]}", key=None, method="GET")
    assert (answer.status, answer.json["error"]["code"]) == (503, "ServiceNotConfigured")


async def test_no_other_route_names_metadata(post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    assert "resource_metadata" not in await challenge(post, "/agents/earth-at-night/answer")
    for path in (WELL_KNOWN, f"{WELL_KNOWN}/agents/x/answer", f"{WELL_KNOWN}/agents('x')/mcp"):
        assert (await post(b"", path, key=None, method="GET")).status == 404
