"""An api-version that nobody knows yet: answered as the newest known one of its sort, said, and never a fault."""

import json
import logging
from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import Final
from urllib.parse import quote

import pytest

from retrieval import compose
from retrieval.contracts.served_versions import SERVED, VERSIONS, served_as
from tests.conftest import Post, Response

ADMIN: Final = "local-admin-key"
GA, PREVIEW = (max(one for one in VERSIONS if one.endswith("-preview") is is_preview) for is_preview in (False, True))
FIRST_UNKNOWN: Final = date.fromisoformat(max(GA, PREVIEW)[:10]) + timedelta(days=1)
BODY: Final = {"intents": [{"type": "semantic", "search": "Why is the street grid of Phoenix visible from space?"}]}

LATER: Final = [FIRST_UNKNOWN + timedelta(days=37 * number) for number in range(80)]
BEFORE: Final = [FIRST_UNKNOWN - timedelta(days=1 + 31 * number) for number in range(80)]
FUTURE: Final = {
    **{f"{day}{sort}": served for day in LATER for sort, served in (("", GA), ("-preview", PREVIEW))},
    "9999-12-31": GA,
    "2027-01-01-PREVIEW": PREVIEW,
    "2027-01-01-Preview": PREVIEW,
}
NO_DATES: Final = [
    "2027-13-01",
    "2027-00-10",
    "2027-02-29",
    "2027-06-31",
    "2027-1-1",
    "27-01-01",
    "02027-01-01",
    "20270101",
]
AROUND: Final = [
    "{} ",
    " {}",
    "\t{}",
    "{}\n",
    "{},{}",
    "{};",
    "{}-",
    "v{}",
    "'{}'",
    "{}Z",
    "{}T00:00:00Z",
    "{}\x00",
    "{}\ud800",
]
SORTS: Final = ["-beta", "-preview.1", "-previews", "preview", "_preview", "-Prévïew", "–preview", "-preview-preview"]
DIGITS: Final = ["٢٠٢٧-٠١-٠١", "２０２７-０１-０１", "२०२७-०१-०१", "2027‐01‐01", "2027-01-0¹", "𝟐𝟎𝟐𝟕-01-01"]
STRANGE: Final = [
    "latest",
    "*",
    "null",
    "-1",
    "0",
    "2027",
    "{}",
    "[]",
    "../2027-01-01",
    "%",
    "🏙",
    "2" * 3000,
    "2027-01-01-" + "p" * 3000,
]
REFUSED: Final = [
    *(f"{day}{sort}" for day in BEFORE for sort in ("", "-preview") if f"{day}{sort}" not in VERSIONS),
    *(f"{one}{sort}" for one in NO_DATES for sort in ("", "-preview")),
    *(form.replace("{}", one) for form in AROUND for one in ("2027-01-01", "2027-01-01-preview", GA)),
    *(f"{one}{sort}" for sort in SORTS for one in ("2027-01-01", PREVIEW[:10])),
    *DIGITS,
    *STRANGE,
]


def header(answer: Response, name: str) -> str | None:
    return {one.lower(): value for one, value in answer.headers.items()}.get(name)


async def get(post: Post, version: str, path: str = "knowledgesources") -> Response:
    target = f"/{path}?api-version={quote(version, errors='surrogatepass')}"
    return await post(b"", target, method="GET", key=ADMIN)


@pytest.fixture
async def strict(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("STRICT_API_VERSIONS", "1")
    await compose.end()
    yield
    await compose.end()


def test_a_version_is_served_as_the_newest_of_its_sort_where_it_is_later_than_all() -> None:
    assert len(FUTURE) + len(REFUSED) >= 400
    assert {version: served_as(version, VERSIONS) for version in FUTURE} == FUTURE
    assert [version for version in (*REFUSED, *VERSIONS) if served_as(version, VERSIONS) is not None] == []


def test_a_sort_that_nobody_has_is_not_served() -> None:
    assert served_as("2027-01-01-preview", ["2026-04-01"]) is None


async def test_every_text_is_served_as_the_rule_says_and_none_is_a_fault(post: Post) -> None:
    for version, served in FUTURE.items():
        answer = await get(post, version)
        assert (answer.status, header(answer, SERVED)) == (200, served), version
    for version in (*REFUSED, ""):
        answer = await get(post, version)
        assert (answer.status, answer.json["error"]["target"]) == (400, "api-version"), version
        assert header(answer, SERVED) is None
    for version in VERSIONS:
        assert header(await get(post, version), SERVED) is None


async def test_two_versions_are_refused(post: Post) -> None:
    answer = await post(b"", "/knowledgesources?api-version=2027-01-01&api-version=2027-01-01", method="GET", key=ADMIN)
    assert answer.status == 400


async def test_a_route_that_the_newest_has_not_says_which_versions_it_has(post: Post) -> None:
    answer = await get(post, "2027-01-01", "agents")
    assert (answer.status, header(answer, SERVED)) == (400, None)
    assert "2025-08-01-preview" in answer.json["error"]["message"]


@pytest.mark.parametrize(("version", "served"), [("2027-01-01", GA), ("2027-01-01-preview", PREVIEW)])
async def test_a_retrieve_has_the_members_of_the_version_that_it_is_served_as(
    post: Post, version: str, served: str
) -> None:
    target = "/knowledgebases('earth-at-night')/retrieve?api-version={}"
    answers = [await post(BODY, target.format(one)) for one in (version, served)]
    assert [answer.status for answer in answers] == [200, 200]
    assert len({frozenset(answer.json["activity"][0]) for answer in answers}) == 1
    refused = await post({**BODY, "agentRuntimeGraphParams": {}}, target.format(version))
    assert (refused.status, header(refused, SERVED)) == (400, served)
    streamed = await post(BODY, target.format(version), headers={"accept": "text/event-stream"})
    assert header(streamed, SERVED) == served
    assert streamed.body.startswith(b"event: retrieval.started\n")


async def test_links_have_the_version_that_the_caller_asked_for(post: Post) -> None:
    listed = await post(
        BODY, "/knowledgebases/earth-at-night/retrieve?api-version=2027-01-01", headers={"host": "localhost"}
    )
    assert all("api-version=2027-01-01&" in one["citationUrl"] for one in listed.json["references"])


async def test_the_log_warns_once_of_each_and_a_stranger_causes_no_warning(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    await compose.end()
    caplog.set_level(logging.WARNING, "retrieval")
    for version in ("2028-01-01", "2028-01-01", "2028-01-01-preview", "2028-01-01-PREVIEW"):
        await get(post, version)
    await post(b"", "/knowledgesources?api-version=2029-01-01", method="GET", key="wrong")
    warned = [record.getMessage() for record in caplog.records if "api-version" in record.getMessage()]
    assert [(message.split()[5].rstrip(","), GA in message) for message in warned] == [
        ("2028-01-01", True),
        ("2028-01-01-preview", False),
    ]


@pytest.mark.room("doctor")
async def test_the_doctor_names_what_callers_of_the_instance_asked_for(post: Post) -> None:
    await compose.end()
    before = await post(b"", "/doctor", method="GET", key=ADMIN)
    await get(post, "2028-01-01")
    after = await post(b"", "/doctor", method="GET", key=ADMIN)
    named = [
        [one for one in json.loads(answer.body)["findings"] if one["name"] == "api-versions"]
        for answer in (before, after)
    ]
    assert named[0] == []
    [finding] = named[1]
    assert finding["state"] == "warning" and "STRICT_API_VERSIONS=1" in finding["do"]
    assert finding["said"] == f"Callers of this instance ask for 2028-01-01, and are answered as {GA}."


async def test_where_the_deployment_is_strict_such_a_version_is_refused(post: Post, strict: None) -> None:
    for version in ("2027-01-01", "2027-01-01-preview"):
        answer = await get(post, version)
        assert (answer.status, header(answer, SERVED)) == (400, None)
        assert answer.json["error"]["code"] == "UnsupportedApiVersion"
    assert (await get(post, GA)).status == 200
