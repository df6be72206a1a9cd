"""MCP is behind the same doors as retrieve: credentials, rights, the user's token, imposed filters, and the Origin."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.access.authority import Authority
from tests.access.conftest import ADMIN_KEYS, QUERY_KEYS, Deploy
from tests.access.test_header_smuggling import PLATFORM
from tests.conftest import Post, Response
from tests.mcp_messages import ACCEPT, PATH, calling, request
from tests.rooms import NEEDS_MCP
from tests.scripted_azure import ScriptedAzure, document, found

pytestmark = NEEDS_MCP

USER_TOKEN: Final = "x-ms-query-source-authorization"
TOKEN: Final = "eyJ0b2tlbg.of.the-user"
SEARCH: Final = calling("rag_retrieve", {"query": "Phoenix"})
LIST: Final = request("tools/list")


def header(answer: Response, name: str) -> str | None:
    return next((value for key, value in answer.headers.items() if key.lower() == name), None)


async def send(
    post: Post, message: object = LIST, *, key: str | None = QUERY_KEYS[0], path: str = PATH, **headers: str
) -> Response:
    sent = {"accept": ACCEPT, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return await post(message, path, key=key, headers=sent)


@pytest.fixture
async def azure() -> AsyncIterator[ScriptedAzure]:
    azure = ScriptedAzure(search=found(document("road", 3.1)))
    async with azure.listening():
        yield azure


@pytest.fixture
def settings(azure: ScriptedAzure, tmp_path: Path) -> Mapping[str, str]:
    file = tmp_path / "agents.json"
    file.write_text(json.dumps([{"name": "earth-at-night", "targetIndexes": [{"indexName": "atlas"}]}]))
    azure_settings = {"AZURE_SEARCH_ENDPOINT": azure.address, "AZURE_SEARCH_API_KEY": "search-key"}
    return {"LOCAL": "0", "AGENTS_FILE": str(file), **azure_settings}


@pytest.mark.parametrize("key", [*QUERY_KEYS, *ADMIN_KEYS])
async def test_every_key_may_use_the_tools(key: str, post: Post, deploy: Deploy) -> None:
    deploy()
    assert "result" in (await send(post, key=key)).json


async def test_without_a_credential_the_answer_says_where_tokens_are_to_be_had(
    post: Post, deploy: Deploy, authority: Authority
) -> None:
    deploy({**PLATFORM, **authority.settings})
    answer = await send(post, key=None)
    assert answer.status == 401
    assert (header(answer, "www-authenticate") or "").startswith('Bearer authorization_uri="')
    assert answer.json["error"]["data"]["code"] == "Unauthenticated"
    assert (await send(post, key=None, authorization=f"Bearer {authority.token(roles=['Agents.Retrieve'])}")).json[
        "result"
    ]
    assert (await send(post, key=None, authorization=f"Bearer {authority.token(roles=['Other'])}")).status == 403


@pytest.mark.parametrize("body", [b"{", b"[" * 2_000_000, b"", json.dumps(SEARCH).encode()])
async def test_nothing_of_a_body_is_read_before_its_sender_is_admitted(body: bytes, post: Post, deploy: Deploy) -> None:
    deploy()
    for key, status in ((None, 401), ("wrong", 403)):
        answer = await send(post, body, key=key)
        assert (answer.status, answer.json["id"]) == (status, None)


async def test_an_agent_that_demands_the_users_token_is_closed_without_it(
    post: Post, deploy: Deploy, azure: ScriptedAzure, settings: Mapping[str, str]
) -> None:
    deploy(settings, USER_TOKEN_AGENTS="earth-at-night")
    for message in (LIST, SEARCH):
        refused = await send(post, message)
        assert refused.status == 403
        assert USER_TOKEN in refused.json["error"]["message"]
    assert azure.recorded == []
    answer = await send(post, SEARCH, x_ms_query_source_authorization=TOKEN)
    assert answer.json["result"]["structuredContent"]["chunk_ids"] == ["road"]
    assert [one.request.header(USER_TOKEN) for one in azure.searches] == [TOKEN]


@pytest.mark.parametrize(
    ("agents", "name", "status"), [("*", "nobody", 403), ("nobody", "nobody", 403), ("earth-at-night", "nobody", 200)]
)
async def test_a_base_that_is_not_there_demands_the_users_token_as_one_that_is(
    agents: str, name: str, status: int, post: Post, deploy: Deploy, settings: Mapping[str, str]
) -> None:
    deploy(settings, USER_TOKEN_AGENTS=agents)
    assert (await send(post, LIST, path=f"/knowledgebases/{name}/mcp")).status == status


@pytest.mark.parametrize(("key", "status"), [(None, 401), ("wrong", 403)])
async def test_who_is_not_admitted_does_not_learn_which_bases_there_are(
    key: str | None, status: int, post: Post, deploy: Deploy, settings: Mapping[str, str]
) -> None:
    deploy(settings)
    for message in (LIST, calling("knowledge_base_retrieve", {"queries": ["Phoenix"]})):
        bases = ("earth-at-night", "nobody")
        answers = [await send(post, message, key=key, path=f"/knowledgebases/{name}/mcp") for name in bases]
        assert {answer.status for answer in answers} == {status}
        assert answers[0].body == answers[1].body


async def test_what_is_imposed_is_below_what_is_asked(
    post: Post, deploy: Deploy, azure: ScriptedAzure, settings: Mapping[str, str]
) -> None:
    deploy(settings, IMPOSED_FILTERS='{"*": {"tenant": {"claim": "tid", "withKey": "us"}}}')
    for tool, arguments in (("rag_retrieve", {"query": "q"}), ("knowledge_base_retrieve", {"queries": ["q"]})):
        await send(post, calling(tool, {**arguments, "filter": "tenant eq 'them' or true"}))
    filters = [one.json["filter"] for one in azure.searches]
    assert filters == ["search.in(tenant, 'us') and (tenant eq 'them' or true)"] * 2


async def test_who_has_no_documents_there_is_not_let_in(
    post: Post, deploy: Deploy, azure: ScriptedAzure, settings: Mapping[str, str]
) -> None:
    deploy(settings, IMPOSED_FILTERS='{"*": {"tenant": {"claim": "tid"}}}')
    assert (await send(post, SEARCH)).status == 403
    assert azure.recorded == []


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:3000",
        "http://127.0.0.1",
        "https://[::1]:8443",
        "https://own.example",
        "https://PUBLIC.example",
    ],
)
async def test_pages_of_this_machine_and_of_this_service_may_call(origin: str, post: Post, deploy: Deploy) -> None:
    deploy(PUBLIC_HOSTS="public.example")
    assert (await send(post, origin=origin, host="own.example")).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://own.example",
        "https://evil.example",
        "https://localhost.evil.example",
        "https://own.example.evil.example",
        "https://own.example:444",
        "https://x@own.example",
        "null",
        "",
        "http://[",
        "file:///etc",
        "own.example",
        "x" * 10_000,
    ],
)
async def test_other_pages_may_not(origin: str, post: Post, deploy: Deploy) -> None:
    deploy(PUBLIC_HOSTS="public.example")
    for method in ("POST", "GET", "DELETE"):
        answer = await post(
            LIST, PATH, method=method, key=QUERY_KEYS[0], headers={"origin": origin, "host": "own.example"}
        )
        assert answer.status == 403
        assert answer.json["error"]["data"]["code"] == "Forbidden"


async def test_a_page_at_a_name_that_was_bent_to_this_machine_may_not(post: Post, deploy: Deploy) -> None:
    deploy()
    assert (await send(post, origin="http://evil.example:7071", host="evil.example:7071")).status == 403
