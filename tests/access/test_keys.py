"""API keys: several of each kind, and a comparison whose duration reveals nothing."""

import ast
import inspect
import sys
from types import FrameType

import pytest

from retrieval.access.credentials import Access, ApiKeys
from retrieval.errors import NotAuthorized
from tests.access.authority import Authority
from tests.access.conftest import ADMIN_KEYS, QUERY_KEYS, Deploy
from tests.conftest import RETRIEVE, Post, ask

KNOWN = ApiKeys(query=QUERY_KEYS, admin=ADMIN_KEYS, bound={})


def comparisons(sent: str) -> int:
    """How many times one key was compared with another, and all of them by `hmac.compare_digest`."""
    counted = 0

    def watch(frame: FrameType, event: str, called: object) -> None:
        nonlocal counted
        counted += event == "c_call" and getattr(called, "__name__", "") == "compare_digest"

    sys.setprofile(watch)
    try:
        KNOWN.caller(sent)
    except NotAuthorized:
        pass
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize(
    "sent", [*QUERY_KEYS, *ADMIN_KEYS, "another", QUERY_KEYS[0][:-1], QUERY_KEYS[0] + "x", "\ud800"]
)
def test_every_key_is_compared_whatever_is_sent(sent: str) -> None:
    assert comparisons(sent) == len(QUERY_KEYS) + len(ADMIN_KEYS)


def test_keys_are_compared_in_no_other_way() -> None:
    tree = ast.parse(inspect.getsource(ApiKeys))
    assert not any(isinstance(node, ast.Compare) for node in ast.walk(tree))


@pytest.mark.parametrize(
    ("sent", "id", "rights"),
    [
        (QUERY_KEYS[0], "query key 1", {"retrieve"}),
        (QUERY_KEYS[1], "query key 2", {"retrieve"}),
        (ADMIN_KEYS[0], "admin key 1", {"retrieve", "manage"}),
        (ADMIN_KEYS[1], "admin key 2", {"retrieve", "manage"}),
    ],
)
def test_a_key_is_known_by_its_place(sent: str, id: str, rights: set[str]) -> None:
    caller = KNOWN.caller(sent)
    assert (caller.kind, caller.id) == ("key", id)
    assert caller.rights == rights
    assert caller.claims == {}


def test_a_key_of_both_kinds_has_the_rights_of_both() -> None:
    assert ApiKeys(query=["k"], admin=["k"], bound={}).caller("k").rights == {"retrieve", "manage"}


def test_keys_are_not_kept_as_they_are() -> None:
    assert not any(key in repr(vars(KNOWN)) for key in (*QUERY_KEYS, *ADMIN_KEYS))


async def test_both_keys_of_both_kinds_retrieve(post: Post, deploy: Deploy) -> None:
    deploy()
    assert {(await post(ask("roads"), key=key)).status for key in (*QUERY_KEYS, *ADMIN_KEYS)} == {200}


async def test_where_no_credential_is_configured_nobody_is_admitted(post: Post, deploy: Deploy) -> None:
    deploy(
        LOCAL="0",
        API_KEYS="",
        ADMIN_API_KEYS="",
        AZURE_SEARCH_ENDPOINT="https://s.search.windows.net",
        AGENTS_FILE="agents.json",
    )
    for key in ("", "local-dev-key", "local-admin-key", ","):
        assert (await post(ask("roads"), key=key)).status == 503
    with pytest.raises(NotAuthorized):
        ApiKeys(query=(), admin=(), bound={}).caller("")


async def test_a_key_may_be_sent_as_a_bearer_token(post: Post, deploy: Deploy) -> None:
    deploy(BASE_KEYS='{"earth-at-night": ["bound-key-5a5a"]}')
    manage = "/agents?api-version=2025-05-01-preview"

    async def status(sent: str, target: str = RETRIEVE, method: str = "POST", **headers: str) -> int:
        return (await post(ask("roads"), target, method=method, key=None, headers={**headers, **bearer(sent)})).status

    assert [await status(key) for key in (*QUERY_KEYS, *ADMIN_KEYS, "bound-key-5a5a")] == [200] * 5
    assert [await status(key, manage, "GET") for key in (QUERY_KEYS[0], ADMIN_KEYS[0])] == [403, 200]
    assert await status("bound-key-5a5a", RETRIEVE.replace("earth-at-night", "another")) == 403
    assert await status(ADMIN_KEYS[0], **{"api-key": "another"}) == 403, "what is sent as api-key counts first"


@pytest.mark.parametrize("sent", ["another", "", f"{QUERY_KEYS[0]} x", f"{QUERY_KEYS[0]}, Bearer {QUERY_KEYS[0]}"])
async def test_a_bearer_token_that_is_no_key_is_refused_without_it(sent: str, post: Post, deploy: Deploy) -> None:
    deploy()
    answer = await post(ask("roads"), key=None, headers=bearer(sent))
    assert answer.status == 401
    assert answer.json["error"]["message"].startswith("The bearer token is none of this service's keys.")
    assert not sent or sent not in answer.body.decode()


async def test_a_key_is_a_bearer_token_beside_those_of_a_tenant(
    authority: Authority, post: Post, deploy: Deploy
) -> None:
    deploy(authority.settings)
    key, token, neither = [
        (await post(ask("roads"), key=None, headers=bearer(sent))).status
        for sent in (QUERY_KEYS[0], authority.token(), "another")
    ]
    assert (key, token, neither) == (200, 200, 401)


def bearer(sent: str) -> dict[str, str]:
    return {"authorization": f"Bearer {sent}"}


@pytest.mark.parametrize(
    ("headers", "may"),
    [
        ({}, False),
        ({"api-key": ""}, False),
        ({"api-key": "another"}, False),
        ({"api-key": "another", "authorization": "Bearer x"}, False),
        ({"api-key": QUERY_KEYS[0]}, True),
        ({"api-key": ADMIN_KEYS[0]}, True),
        ({"authorization": "Bearer x"}, True),
        ({"authorization": "ACS3-HMAC-SHA256 x"}, True),
        ({"x-ms-client-principal": "x"}, True),
        ({"x-key-of-a-room": "another"}, False),
        ({"x-key-of-a-room": QUERY_KEYS[0]}, True),
    ],
)
def test_a_body_is_worth_reading_unless_the_head_alone_is_refused(headers: dict[str, str], may: bool) -> None:
    assert Access(keys=KNOWN, key_headers=("x-key-of-a-room",)).may_admit(headers) is may
