"""Beneath a gateway's base path it is the same service."""

import pytest

from tests.access.conftest import Deploy, deploy
from tests.conftest import Post, ask

__all__ = ["deploy"]

KEY = "query-key-one-4d1b"
ADMIN = "admin-key-one-c0fe"
QUESTION = ask("Why is the street grid of Phoenix so sharply visible from space?")
INTENTS = {"intents": [{"type": "semantic", "search": "Why is the street grid of Phoenix so visible?"}]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("agents('earth-at-night')/retrieve?api-version=2025-05-01-preview", QUESTION),
        ("agents/earth-at-night/retrieve?api-version=2025-08-01-preview", QUESTION),
        ("KnowledgeBases('earth-at-night')/Retrieve?api-version=2026-04-01", INTENTS),
        ("knowledgebases/earth%2Dat%2Dnight/retrieve/?api-version=2026-08-01-preview", INTENTS),
    ],
)
async def test_beneath_the_base_path_the_same_is_answered(path: str, body: object, post: Post, deploy: Deploy) -> None:
    deploy(BASE_PATH="/search/v1/")
    for prefix in ("", "search/v1/", "Search/V1/"):
        answer = await post(body, f"/{prefix}{path}", key=KEY)
        assert answer.status == 200, answer.body
        assert answer.json["references"]


async def test_definitions_are_managed_there_too(post: Post, deploy: Deploy) -> None:
    deploy(BASE_PATH="search", AGENTS_STORE="memory")
    answer = await post(b"", "/search/knowledgesources?api-version=2026-04-01", method="GET", key=ADMIN)
    assert [one["name"] for one in answer.json["value"]] == ["earth_at_night"]


@pytest.mark.parametrize("path", ["health", "openapi.json", "playground", "playground/page.js"])
async def test_what_everybody_may_ask_is_told_there_too(path: str, post: Post, deploy: Deploy) -> None:
    deploy(BASE_PATH="search")
    assert (await post(b"", f"/search/{path}", method="GET", key=None)).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/other/agents/earth-at-night/retrieve",
        "/searchagents/earth-at-night/retrieve",
        "/search",
        "/search/",
        "/search/x",
    ],
)
async def test_elsewhere_there_is_nothing(path: str, post: Post, deploy: Deploy) -> None:
    deploy(BASE_PATH="/search")
    assert (await post(QUESTION, f"{path}?api-version=2025-05-01-preview", key=KEY)).status == 404


async def test_without_the_setting_there_is_no_base_path(post: Post, deploy: Deploy) -> None:
    deploy()
    answer = await post(QUESTION, "/search/agents/earth-at-night/retrieve?api-version=2025-05-01-preview", key=KEY)
    assert answer.status == 404


async def test_a_caller_needs_the_same_right_there(post: Post, deploy: Deploy) -> None:
    deploy(BASE_PATH="/search")
    path = "/search/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview"
    assert (await post(QUESTION, path, key=None)).status == 401


@pytest.mark.parametrize("value", ["https://gateway/x", "a b", "a//b", "a?b"])
async def test_what_is_no_path_is_a_problem_of_the_settings(
    value: str, post: Post, deploy: Deploy, caplog: pytest.LogCaptureFixture
) -> None:
    deploy(BASE_PATH=value)
    path = "/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview"
    assert (await post(QUESTION, path, key=KEY)).status == 503
    assert "BASE_PATH" in caplog.text
