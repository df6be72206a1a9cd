"""The tenant's keys: fetched once however many ask, again when it is time, and never as often as an attacker likes."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import pytest

from retrieval.access.credentials import Roles
from retrieval.access.entra import (
    FRESH_SECONDS,
    LARGEST,
    PAUSE_SECONDS,
    RETRY_SECONDS,
    USABLE_SECONDS,
    EntraTokens,
    Tenant,
)
from retrieval.errors import BackendError, BackendUnavailable, NotAuthenticated
from retrieval.local.wire import WireRequest, WireService
from tests.access.authority import AUDIENCE, KEY_ID, TENANT, Authority, jwks, public_jwk
from tests.access.conftest import Deploy
from tests.conftest import Post, ask
from tests.scripted_azure import answering, cutting, failing, held, stalling

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
ROLES: Final = Roles(retrieve=frozenset({"Agents.Retrieve"}), manage=frozenset({"Agents.Manage"}))

DOWN: Final[Mapping[str, WireService]] = {
    "fails": failing(500),
    "is not there": failing(404),
    "sends elsewhere": answering(b"", status=302, location="http://127.0.0.1:1/"),
    "cuts the connection": cutting(),
    "stalls": stalling(),
    "answers nonsense": answering(b"<html>"),
    "answers nothing": answering(b""),
    "answers a list": answering([]),
    "has keys that are no list": answering({"keys": 7}),
    "has no keys": jwks(),
    "has keys of nothing": answering({"keys": [None, 7, "key", {}, {"kty": "RSA"}, {"kty": "RSA", "kid": KEY_ID}]}),
    "has the key for another use": jwks(public_jwk(KEY_ID, use="enc")),
    "has the key for another algorithm": jwks(public_jwk(KEY_ID, alg="RS512")),
    "has the key as a secret": jwks({"kty": "oct", "kid": KEY_ID, "k": "c2VjcmV0"}),
    "has a key that is too small": jwks(public_jwk(KEY_ID, key="small")),
    "nests ten thousand deep": answering(b"[" * 10_000),
    "gives too much": answering(b" " * (LARGEST + 1)),
}


GONE: Final[Mapping[str, WireService]] = {
    "is away": failing(500),
    "is nonsense": answering(b"<html>"),
    "has no keys": jwks(),
    "has only keys that cannot sign": jwks(public_jwk(KEY_ID, use="enc")),
}


@pytest.fixture
def nearby() -> Authority:
    """A tenant whose keys are read without a socket, so that nothing ticks while the clock jumps over hours."""
    return Authority()


def tokens(authority: Authority) -> EntraTokens:
    async def document() -> bytes:
        answer = await authority(WireRequest(method="GET", target="/keys"))
        if answer.status != 200:
            raise BackendUnavailable("Microsoft Entra ID", "is away.")
        return answer.body

    return EntraTokens(
        Tenant(id=TENANT, authority=f"{authority.address}/{TENANT}", audiences=(AUDIENCE,)),
        key_document=document,
        roles=ROLES,
        clock=lambda: NOW,
    )


async def pass_time(seconds: float) -> None:
    """On the clock that jumps."""
    await asyncio.sleep(seconds)


@pytest.mark.parametrize("way", DOWN)
async def test_nobody_is_admitted_while_the_key_document(
    way: str, post: Post, deploy: Deploy, authority: Authority
) -> None:
    authority.script = DOWN[way]
    deploy(authority.settings)
    headers = {"authorization": f"Bearer {authority.token()}"}
    answer = await post(ask("roads"), headers=headers, key=None)
    assert answer.status in {502, 504}
    assert "Microsoft Entra ID" in answer.json["error"]["message"]
    asked = len(authority.asked)
    assert (await post(ask("roads"), headers=headers, key=None)).status == answer.status
    assert len(authority.asked) == asked >= 1


async def test_keys_of_callers_count_although_those_of_the_tenant_cannot_be_had(
    post: Post, deploy: Deploy, authority: Authority
) -> None:
    authority.script = stalling()
    deploy(authority.settings, API_KEYS="one-key")
    assert (await post(ask("roads"), key="one-key")).status == 200
    assert authority.asked == []


async def test_it_is_asked_again_soon_after_it_failed(nearby: Authority) -> None:
    known = tokens(nearby)
    nearby.script = failing(500)
    with pytest.raises(BackendError):
        await known.caller(f"Bearer {nearby.token()}")
    nearby.script = jwks(public_jwk(KEY_ID))
    with pytest.raises(BackendError):
        await known.caller(f"Bearer {nearby.token()}")
    await pass_time(RETRY_SECONDS)
    assert (await known.caller(f"Bearer {nearby.token()}")).id == "oid-of-the-caller"
    assert len(nearby.asked) == 2


async def test_many_first_callers_share_one_reading(nearby: Authority) -> None:
    known, gate = tokens(nearby), asyncio.Event()
    nearby.script = held(gate, jwks(public_jwk(KEY_ID)))
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(known.caller(f"Bearer {nearby.token()}")) for _ in range(50)]
        while not nearby.asked:
            await asyncio.sleep(0)
        gate.set()
    assert {call.result().id for call in calls} == {"oid-of-the-caller"}
    assert len(nearby.asked) == 1


async def test_a_caller_who_leaves_takes_the_reading_from_nobody(nearby: Authority) -> None:
    known, gate = tokens(nearby), asyncio.Event()
    nearby.script = held(gate, jwks(public_jwk(KEY_ID)))
    first = asyncio.create_task(known.caller(f"Bearer {nearby.token()}"))
    while not nearby.asked:
        await asyncio.sleep(0)
    second = asyncio.create_task(known.caller(f"Bearer {nearby.token()}"))
    await asyncio.sleep(0)
    first.cancel()
    gate.set()
    assert (await second).id == "oid-of-the-caller"
    assert len(nearby.asked) == 1


async def test_unknown_key_ids_cause_one_reading_a_minute(nearby: Authority) -> None:
    known = tokens(nearby)
    await known.caller(f"Bearer {nearby.token()}")
    for minute in range(2, 5):
        await pass_time(PAUSE_SECONDS)
        for number in range(100):
            with pytest.raises(NotAuthenticated):
                await known.caller(f"Bearer {nearby.token(key_id=f'{minute}-{number}')}")
        assert len(nearby.asked) == minute
    assert (await known.caller(f"Bearer {nearby.token()}")).id == "oid-of-the-caller"


async def test_a_new_key_of_the_tenant_is_taken(nearby: Authority) -> None:
    known = tokens(nearby)
    await known.caller(f"Bearer {nearby.token()}")
    nearby.script = jwks(public_jwk(KEY_ID), public_jwk("second-key"))
    await pass_time(PAUSE_SECONDS)
    token = nearby.token(key="second-key", key_id="second-key", oid="another")
    assert (await known.caller(f"Bearer {token}")).id == "another"


async def test_keys_are_read_again_beside_the_calls(nearby: Authority) -> None:
    known, gate = tokens(nearby), asyncio.Event()
    await known.caller(f"Bearer {nearby.token()}")
    nearby.script = held(gate, jwks(public_jwk("second-key")))
    await pass_time(FRESH_SECONDS)
    assert (await known.caller(f"Bearer {nearby.token()}")).id == "oid-of-the-caller"
    while len(nearby.asked) < 2:
        await asyncio.sleep(0)
    gate.set()
    await pass_time(1)
    with pytest.raises(NotAuthenticated):
        await known.caller(f"Bearer {nearby.token()}")


@pytest.mark.parametrize("way", GONE)
async def test_old_keys_serve_for_a_day_while_the_document(way: str, nearby: Authority) -> None:
    known = tokens(nearby)
    await known.caller(f"Bearer {nearby.token()}")
    nearby.script = GONE[way]
    await pass_time(USABLE_SECONDS - 3 * PAUSE_SECONDS)
    for _ in range(2):
        await known.caller(f"Bearer {nearby.token()}")
        await pass_time(PAUSE_SECONDS)
    await pass_time(PAUSE_SECONDS)
    with pytest.raises(BackendError):
        await known.caller(f"Bearer {nearby.token()}")


async def test_of_several_keys_only_those_that_sign_are_taken(nearby: Authority) -> None:
    others: list[dict[str, object]] = [
        {"kty": "EC", "kid": "curve"},
        public_jwk("wrapping", use="enc"),
        public_jwk("broken", n="!"),
    ]
    nearby.script = jwks(*others, public_jwk(KEY_ID))
    assert (await tokens(nearby).caller(f"Bearer {nearby.token()}")).rights == {"retrieve"}


@pytest.mark.parametrize(("skew", "admitted"), [(0, True), (300, True), (301, False)])
async def test_clocks_may_differ_by_five_minutes(skew: int, admitted: bool, nearby: Authority) -> None:
    known, now = tokens(nearby), int(NOW.timestamp())
    for token in (nearby.token(nbf=now + skew), nearby.token(exp=now - skew + 1)):
        try:
            await known.caller(f"Bearer {token}")
        except NotAuthenticated:
            assert not admitted
        else:
            assert admitted
