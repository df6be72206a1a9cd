"""LIMITS: how often a key, a role or an application may ask, counted in this process."""

import asyncio
import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import replace

import pytest

from retrieval import compose
from retrieval.access.rate_limits import EACH, MOST_CALLERS, RateLimits
from retrieval.errors import LimitReached
from retrieval.model.caller import Caller, Limit
from retrieval.settings.settings import gather
from tests.conftest import KEY, RETRIEVE, Post, ask
from tests.telemetry.recording import recording


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def token(**claims: tuple[str, ...]) -> Caller:
    return Caller(kind="token", id="oid-1", rights=frozenset({"retrieve"}), claims=claims)


def refused(limits: RateLimits, caller: Caller) -> LimitReached:
    with pytest.raises(LimitReached) as found:
        limits.check(caller)
    return found.value


def test_a_window_begins_with_the_first_call_and_lets_none_through_beyond_it() -> None:
    clock = Clock()
    limits = RateLimits({"oid-1": Limit(minute=2, day=3)}, ticks=clock)
    limits.check(token())
    clock.now += 20
    limits.check(token())
    assert (refused(limits, token()).window, refused(limits, token()).retry_after) == ("minute", 40)
    clock.now += 40
    limits.check(token())
    assert (refused(limits, token()).window, refused(limits, token()).retry_after) == ("day", 86_340)
    clock.now += 86_340
    limits.check(token())


@pytest.mark.parametrize(
    "caller",
    [token(roles=("Agents.Retrieve",)), token(scp=("openid Agents.Retrieve",)), token(azp=("Agents.Retrieve",))],
    ids=["a role", "a scope", "an application"],
)
def test_all_callers_of_a_role_a_scope_or_an_application_share_its_limit(caller: Caller) -> None:
    limits = RateLimits({"Agents.Retrieve": Limit(minute=1)}, ticks=Clock())
    limits.check(caller)
    assert refused(limits, caller).name == "Agents.Retrieve"
    limits.check(token(roles=("Other",)))


def test_a_call_that_one_limit_refuses_counts_for_no_other() -> None:
    clock = Clock()
    limits = RateLimits({"a": Limit(minute=1), "b": Limit(minute=2)}, ticks=clock)
    both, other = token(roles=("a", "b")), token(roles=("b",))
    limits.check(both)
    refused(limits, both)
    limits.check(other)
    refused(limits, other)


def test_each_caller_without_an_entry_is_counted_by_itself() -> None:
    limits = RateLimits({EACH: Limit(minute=2), "oid-2": Limit(minute=3)}, ticks=Clock())
    first, second, own = replace(token(), id="oid-1"), replace(token(), id="oid-3"), replace(token(), id="oid-2")
    for caller in (first, first, second, second, own, own, own):
        limits.check(caller)
    assert {refused(limits, caller).most for caller in (first, second)} == {2}
    assert refused(limits, own).most == 3


def test_the_callers_that_are_counted_by_themselves_are_bounded() -> None:
    limits = RateLimits({EACH: Limit(minute=1)}, ticks=Clock())
    callers = [replace(token(), id=f"oid-{number}") for number in range(MOST_CALLERS + 1)]
    for caller in callers:
        limits.check(caller)
    refused(limits, callers[-1])
    limits.check(callers[0])


async def test_a_limit_holds_under_64_callers(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LIMITS", json.dumps({"query key 1": {"minute": 10}}))
    monkeypatch.setenv("API_KEYS", f"{KEY},second-key")
    await compose.end()
    with recording() as told, caplog.at_level(logging.INFO):
        answers = await asyncio.gather(*(post(ask("roads"), RETRIEVE) for _ in range(64)))
        other = await post(ask("roads"), RETRIEVE, key="second-key")
        assert told.total("retrieval.limited", retrieval__limit="query key 1") == 54
    await compose.end()
    statuses = [answer.status for answer in answers]
    assert (statuses.count(200), statuses.count(429), other.status) == (10, 54, 200)
    over = next(answer for answer in answers if answer.status == 429)
    assert over.json["error"]["code"] == "TooManyRequests"
    assert 1 <= int(over.headers["Retry-After"]) <= 60
    lines = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert [line for line in lines if "LIMITS" in line] == [
        "'query key 1' has asked 10 times this minute, as often as LIMITS lets it"
    ]
    assert sum(
        "caller='query key 1'" in one.getMessage() and "status=429" in one.getMessage() for one in caplog.records
    )


async def test_a_deployment_without_limits_has_none_of_their_cost(post: Post) -> None:
    await compose.end()
    sys.modules.pop("retrieval.access.rate_limits")
    assert (await post(ask("roads"), RETRIEVE)).status == 200
    assert compose.service().callers.limits is None
    assert "retrieval.access.rate_limits" not in sys.modules


ENVIRON = {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "AGENTS_STORE": "memory", "API_KEYS": "one,two"}


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"one": {"minute": 1}}, "a key itself"),
        ({"query key 3": {"minute": 1}}, "there is no 'query key 3'"),
        ({"query key 1": {}}, "a limit a minute or a day"),
        ({"query key 1": {"minute": 0}}, "at least 1"),
        ({"query key 1": {"minute": 1.5}}, "whole number"),
        ({"query key 1": {"hour": 1}}, "not known"),
    ],
)
def test_a_limit_that_would_hold_nobody_is_a_fault(limits: Mapping[str, object], sentence: str) -> None:
    _, problems = gather({**ENVIRON, "LIMITS": json.dumps(limits)})
    assert [sentence in problem.sentence for problem in problems] == [True]
    assert "one'" not in problems[0].sentence or "itself" not in sentence


def test_keys_of_single_bases_and_signers_may_be_limited() -> None:
    limits = {"query key 1 of handbook": {"day": 10}, "access key": {"minute": 5}, "query key 2": {"minute": 3}}
    assert gather({**ENVIRON, "LIMITS": json.dumps(limits)})[1] == ()
