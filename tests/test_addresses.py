"""The addresses that clients use, as the host routes them, and what is answered where there is none."""

import pytest

from tests.conftest import Post, ask

VERSION = "api-version=2025-05-01-preview"


@pytest.mark.parametrize(
    "path",
    [
        "/agents('earth-at-night')/retrieve",
        "/agents/earth-at-night/retrieve",
        "/agents(%27earth-at-night%27)/retrieve",
        "/agents%28%27earth-at-night%27%29/retrieve",
        "/agents('earth%2Dat-night')/retrieve",
        "//agents('earth-at-night')/retrieve",
        "//agents/earth-at-night/retrieve",
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


async def test_an_agent_called_index_is_an_agent_and_nothing_else(post: Post) -> None:
    answer = await post(ask("hi"), f"/agents/index/retrieve?{VERSION}")
    assert answer.status == 404
    assert "No knowledge agent with the name 'index'" in answer.json["error"]["message"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/agents/x/retrieve"), ("POST", "/agents/x"), ("GET", "/")])
async def test_what_no_route_takes_is_a_404_in_the_envelope(post: Post, method: str, path: str) -> None:
    answer = await post(b"", f"{path}?{VERSION}", method=method)
    assert answer.status == 404
    assert answer.json["error"]["code"] == "ResourceNotFound"


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
