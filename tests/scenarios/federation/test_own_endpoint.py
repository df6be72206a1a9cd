"""This service's own Retrieve as a knowledge base of this service: it signs, and verifies."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest

from retrieval import compose
from retrieval.local.host import Host
from retrieval.local.server import serving
from tests.conftest import Post, Response, ask
from tests.rooms import NEEDS_BASES_OF_STUDIO, NEEDS_MODEL_STUDIO
from tests.scenarios.failures.answer import keys, searches

pytestmark = [NEEDS_MODEL_STUDIO, NEEDS_BASES_OF_STUDIO]
QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"
FIELDS: Final = {"page_number": {"path": "page_number", "type": "Edm.String"}}

Ask = Callable[..., Awaitable[Response]]


@pytest.fixture
async def ask_night(
    host: Host, post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Ask, dict[str, object]]]:
    """Ask the agent `night`, and the setting of its base, which is the sample corpus behind our own endpoint."""
    agents = tmp_path / "agents.json"
    targets = [{"indexName": name, "defaultRerankerThreshold": 0} for name in ("earth_at_night", "night-base")]
    definitions = [{"name": "night", "targetIndexes": targets}, {"name": "base", "targetIndexes": targets[1:]}]
    agents.write_text(json.dumps(definitions))
    async with serving(host) as address:
        base: dict[str, object] = {
            "workspace": "llm-local",
            "index": "earth-at-night",
            "endpoint": address,
            "fields": FIELDS,
            "calibration": [[0.5, 2]],
        }

        async def send(
            asked: str | list[dict[str, object]],
            *,
            agent: str = "night",
            secret: str = "local-secret",
            **params: object,
        ) -> Response:
            monkeypatch.setenv("AGENTS_FILE", str(agents))
            monkeypatch.setenv("MODEL_STUDIO_BASES", json.dumps({"night-base": base}))
            monkeypatch.setenv("MODEL_STUDIO_ACCESS_KEY_ID", "local-ak")
            monkeypatch.setenv("MODEL_STUDIO_ACCESS_KEY_SECRET", secret)
            body = ask(asked, **params) if isinstance(asked, str) else {"messages": asked}
            return await post(body, f"/agents/{agent}/retrieve?api-version=2025-05-01-preview")

        compose.service.cache_clear()
        yield send, base
        await compose.end()


Night = tuple[Ask, dict[str, object]]


async def test_one_call_finds_the_same_documents_directly_and_over_our_own_endpoint(ask_night: Night) -> None:
    send, _ = ask_night
    answer = await send(QUESTION)
    direct, signed = searches(answer)
    assert [one["targetIndex"] for one in (direct, signed)] == ["earth_at_night", "night-base"]
    assert [one.get("error") for one in (direct, signed)] == [None, None]
    by_target = {
        record["targetIndex"]: [
            one["docKey"] for one in answer.json["references"] if one["activitySource"] == record["id"]
        ]
        for record in (direct, signed)
    }
    assert by_target["night-base"] == by_target["earth_at_night"][: len(by_target["night-base"])] != []


async def test_scores_come_back_as_they_went_out(ask_night: Night) -> None:
    send, _ = ask_night
    every = keys(await send(QUESTION, agent="base"))
    some = keys(await send(QUESTION, agent="base", rerankerThreshold=2.5))
    direct = await send(QUESTION, indexName="earth_at_night", rerankerThreshold=2.5)
    passed = [one["docKey"] for one in direct.json["references"] if one["activitySource"] == 0]
    assert some == passed[:20] and len(some) < len(every)


async def test_a_filter_says_the_same_over_our_own_endpoint(ask_night: Night) -> None:
    send, _ = ask_night
    answer = await send(QUESTION, agent="base", filterAddOn="page_number eq '105'", includeReferenceSourceData=True)
    assert keys(answer) == ["earth_at_night_508_page_105_verbalized"]
    assert answer.json["references"][0]["sourceData"]["title"] == "Bright Grid, Dark Interstate"


async def test_a_follow_up_is_rewritten_behind_our_own_endpoint(ask_night: Night) -> None:
    send, _ = ask_night
    turns = ("user", QUESTION), ("assistant", "Its lamps stand evenly."), ("user", "And its highways?")
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in turns]
    answer = await send(messages, agent="base")
    assert "error" not in searches(answer)[0]
    assert keys(answer)[0] == "earth_at_night_508_page_105_verbalized"


async def test_a_wrong_secret_is_an_error_of_the_base_and_costs_nothing_else(ask_night: Night) -> None:
    send, _ = ask_night
    answer = await send(QUESTION, secret="wrong")
    direct, signed = searches(answer)
    assert (answer.status, "error" in direct) == (200, False)
    assert signed["error"]["code"] == "BackendForbidden"
    assert "SignatureDoesNotMatch" in signed["error"]["message"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"index": "nothing"}, "BackendUnavailable"), ({"workspace": "llm-nowhere"}, "BackendForbidden")],
)
async def test_a_base_that_is_not_there_is_an_error_of_its_own(
    changed: dict[str, object], code: str, ask_night: Night
) -> None:
    send, base = ask_night
    base.update(changed)
    direct, signed = searches(await send(QUESTION))
    assert "error" not in direct
    assert signed["error"]["code"] == code
