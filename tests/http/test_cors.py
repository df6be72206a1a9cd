"""Pages in a browser: which may call and read the answers, by CORS_ORIGINS; and a browser's own word (slow).

What a browser asks and reads is the Fetch standard's (https://fetch.spec.whatwg.org/#http-cors-protocol).
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx
import pytest

from retrieval.compose.rooms import TABLE
from tests.access.conftest import ADMIN_KEYS, QUERY_KEYS, Deploy, deploy
from tests.conftest import Post, Response, ask
from tests.environments import needs, needs_browser
from tests.rooms import NEEDS_MCP, NEEDS_MODEL_STUDIO
from tests.running import free_port, served
from tests.third_parties import AZURE_PYTHON, browser, worker

__all__ = ["deploy"]

PAGE: Final = "https://app.example.com"
OTHER: Final = "http://localhost:3000"
LISTED: Final = f"{PAGE}, {OTHER}"
RETRIEVE: Final = "/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview"
BASE: Final = "/knowledgebases/earth-at-night/retrieve?api-version=2026-08-01-preview"
QUESTION: Final = ask("Why is the street grid of Phoenix so sharply visible from space?")
NAMES: Final = "api-key,authorization,content-type,x-ms-client-request-id"

HOSTILE: Final = [
    "null",
    "",
    "*",
    "https://app.example.com/",
    "https://app.example.com:443",
    "http://app.example.com",
    "HTTPS://APP.EXAMPLE.COM",
    "https://app.example.com.evil.example",
    "https://evil-app.example.com",
    "https://app.example.com, https://evil.example",
    f"{PAGE},{OTHER}",
    "https://app.example.com\t",
    "x" * 10_000,
]


def sharing(answer: Response) -> Mapping[str, str]:
    return {
        name.lower().removeprefix("access-control-"): value
        for name, value in answer.headers.items()
        if name.lower().startswith("access-control-") or name.lower() == "vary"
    }


async def preflight(post: Post, target: str = RETRIEVE, *, origin: str = PAGE, names: str = NAMES) -> Response:
    asked = {"origin": origin, "access-control-request-method": "POST", "access-control-request-headers": names}
    return await post(b"", target, method="OPTIONS", key=None, headers=asked)


@pytest.mark.parametrize("path", sorted({route.partition(" ")[2] for route in TABLE.routes}))
async def test_a_page_that_is_listed_is_permitted_on_every_route(path: str, post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS=LISTED)
    target = path.replace("{workspaceId:regex(^(llm|ws)[-_])}", "llm-x").replace("{name}", "earth-at-night")
    for origin in (PAGE, OTHER):
        answer = await preflight(post, f"/{target}", origin=origin)
        assert (answer.status, answer.body) == (204, b"")
        said = sharing(answer)
        assert (said["allow-origin"], said["allow-headers"], said["vary"]) == (origin, NAMES, "Origin")
        assert set(said["allow-methods"].split(", ")) == {"DELETE", "GET", "POST", "PUT"}
        assert "allow-credentials" not in said


async def test_beneath_a_base_path_and_where_nothing_is_too(post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS=PAGE, BASE_PATH="search")
    assert (await preflight(post, f"/search{RETRIEVE}")).status == 204
    assert (await preflight(post, "/nowhere")).status == 204
    lost = await post(b"", "/nowhere", method="GET", headers={"origin": PAGE})
    assert (lost.status, sharing(lost)["allow-origin"]) == (404, PAGE)


@pytest.mark.parametrize("names", ["", "x-y: z\r\nset-cookie: a=b", "é", "a" * 5_000])
async def test_names_of_headers_that_are_none_are_not_repeated(names: str, post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS=PAGE)
    answer = await preflight(post, names=names)
    assert answer.status == 204
    assert "allow-headers" not in sharing(answer)


@pytest.mark.parametrize("origin", HOSTILE)
async def test_a_page_that_is_not_listed_gets_nothing(origin: str, post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS=LISTED)
    refused = await preflight(post, origin=origin)
    assert (refused.status, sharing(refused)) == (405, {"vary": "Origin"})
    answer = await post(QUESTION, RETRIEVE, key=QUERY_KEYS[0], headers={"origin": origin})
    assert (answer.status, sharing(answer)) == (200, {"vary": "Origin"})


@pytest.mark.parametrize("listed", [None, LISTED])
@pytest.mark.parametrize("origin", ["http://localhost:5173", *HOSTILE])
async def test_the_line_of_a_refused_preflight_names_the_setting_and_the_origin(
    listed: str | None, origin: str, post: Post, deploy: Deploy, caplog: pytest.LogCaptureFixture
) -> None:
    deploy(**({} if listed is None else {"CORS_ORIGINS": listed}))
    for target in (RETRIEVE, "/nowhere"):
        caplog.clear()
        await preflight(post, target, origin=origin)
        (line,) = [record.getMessage() for record in caplog.records if "CORS_ORIGINS" in record.getMessage()]
        assert repr(origin[:200]) in line
        assert line.isprintable() and len(line) < 500


async def test_the_log_has_no_word_on_a_preflight_that_is_permitted_or_on_another_call(
    post: Post, deploy: Deploy, caplog: pytest.LogCaptureFixture
) -> None:
    deploy(CORS_ORIGINS=PAGE)
    assert (await preflight(post)).status == 204
    assert (await post(b"", RETRIEVE, method="OPTIONS", headers={"origin": OTHER})).status == 405
    assert "CORS_ORIGINS" not in caplog.text


async def test_without_the_setting_nothing_is_said(post: Post, deploy: Deploy) -> None:
    deploy()
    assert (await preflight(post)).status == 405
    assert sharing(await post(QUESTION, RETRIEVE, key=QUERY_KEYS[0], headers={"origin": PAGE})) == {}


async def test_an_options_that_is_no_preflight_is_any_other_method(post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS=PAGE)
    answer = await post(b"", RETRIEVE, method="OPTIONS", headers={"origin": PAGE})
    assert (answer.status, sharing(answer)["allow-origin"]) == (405, PAGE)


async def test_every_page_may_read_where_all_may_and_nothing_varies(post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS="*")
    for origin in (PAGE, "null", "http://evil.example"):
        assert sharing(await preflight(post, origin=origin))["allow-origin"] == "*"
        answer = await post(QUESTION, RETRIEVE, key=QUERY_KEYS[0], headers={"origin": origin})
        assert sharing(answer).keys() == {"allow-origin", "expose-headers"}


@pytest.mark.parametrize(
    ("target", "body", "key", "status"),
    [
        (RETRIEVE, QUESTION, QUERY_KEYS[0], 200),
        (RETRIEVE, QUESTION, None, 401),
        (RETRIEVE, QUESTION, "wrong", 403),
        (RETRIEVE, b"{", QUERY_KEYS[0], 400),
        ("/agents('none')/retrieve?api-version=2025-05-01-preview", QUESTION, QUERY_KEYS[0], 404),
        ("/agents('x')/retrieve?api-version=1999-01-01", QUESTION, QUERY_KEYS[0], 400),
        ("/nowhere", b"", None, 404),
        pytest.param("/llm-local/index/retrieve", b"{}", None, 400, marks=NEEDS_MODEL_STUDIO),
        pytest.param("/agents/earth-at-night/mcp", b"{}", None, 401, marks=NEEDS_MCP),
        (BASE, {"intents": []}, QUERY_KEYS[0], 400),
    ],
)
async def test_an_answer_can_be_read_whatever_it_is(
    target: str, body: object, key: str | None, status: int, post: Post, deploy: Deploy
) -> None:
    deploy(CORS_ORIGINS=LISTED)
    answer = await post(body, target, key=key, headers={"origin": PAGE})
    assert answer.status == status, answer.body
    said = sharing(answer)
    assert (said["allow-origin"], said["vary"]) == (PAGE, "Origin")
    assert {"Retry-After", "request-id", "ETag"} <= set(said["expose-headers"].split(", "))


async def test_a_service_that_is_not_configured_says_so_to_the_page(post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS=PAGE, MAX_CONCURRENT_REQUESTS="none")
    answer = await post(QUESTION, RETRIEVE, headers={"origin": PAGE})
    assert (answer.status, sharing(answer)["allow-origin"]) == (503, PAGE)


async def test_every_header_of_an_answer_can_be_read(post: Post, deploy: Deploy) -> None:
    """Those that scripts may read anyway are the Fetch standard's list."""
    deploy(CORS_ORIGINS=PAGE, AGENTS_STORE="memory")
    sent = {"origin": PAGE, "x-ms-client-request-id": "mine"}
    body = {"name": "more", "targetIndexes": [{"indexName": "earth_at_night"}]}
    made = await post(body, "/agents?api-version=2025-05-01-preview", key=ADMIN_KEYS[0], headers=sent)
    refused = await post(b"", RETRIEVE, method="PATCH", headers=sent)
    assert (made.status, refused.status) == (201, 405)
    usual = {
        "cache-control",
        "content-language",
        "content-length",
        "content-type",
        "expires",
        "last-modified",
        "pragma",
    }
    for answer in (made, refused):
        exposed = {name.strip().lower() for name in sharing(answer)["expose-headers"].split(",")}
        names = {name.lower() for name in answer.headers if not name.lower().startswith("access-control-")}
        assert names - exposed - usual <= {"vary"}


@NEEDS_MODEL_STUDIO
async def test_the_headers_that_a_room_adds_to_its_answers_can_be_read(post: Post, deploy: Deploy) -> None:
    deploy(CORS_ORIGINS=PAGE)
    answer = await post(b"{}", "/llm-local/index/retrieve", key=None, headers={"origin": PAGE})
    assert {"x-acs-request-id", "x-acs-retry-after"} <= set(sharing(answer)["expose-headers"].split(", "))


@NEEDS_MCP
async def test_pages_that_are_listed_may_use_tools(post: Post, deploy: Deploy) -> None:
    tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for listed, status in ((PAGE, 200), (OTHER, 403), ("*", 200)):
        deploy(CORS_ORIGINS=listed)
        await _anew()
        accepted = {"origin": PAGE, "accept": "application/json, text/event-stream"}
        answer = await post(tools, "/agents/earth-at-night/mcp", key=QUERY_KEYS[0], headers=accepted)
        assert answer.status == status, answer.body


async def _anew() -> None:
    from retrieval import compose

    await compose.end()


@pytest.mark.slow
def test_the_code_that_azure_runs_answers_the_same() -> None:
    needs(AZURE_PYTHON)
    asked = {"origin": PAGE, "access-control-request-method": "POST", "access-control-request-headers": NAMES}
    with served(worker(), program="tests.local.host.serve_in_worker", environ={"CORS_ORIGINS": PAGE}) as address:
        permitted = httpx.options(f"{address}{RETRIEVE}", headers=asked, timeout=30)
        refused = httpx.post(f"{address}{RETRIEVE}", json=QUESTION, headers={"origin": PAGE}, timeout=30)
    assert (permitted.status_code, permitted.content, refused.status_code) == (204, b"", 401)
    assert permitted.headers["access-control-allow-headers"] == NAMES
    for answer in (permitted, refused):
        assert (answer.headers["access-control-allow-origin"], answer.headers["vary"]) == (PAGE, "Origin")


@pytest.mark.slow
def test_a_browser_reads_answers_errors_and_events_where_the_page_is_listed_and_nothing_elsewhere() -> None:
    listed, other = free_port(), free_port()
    with served(environ={"CORS_ORIGINS": f"http://localhost:{listed}"}) as address:
        command = [browser(), Path(__file__).with_name("cors_page.py"), needs_browser(), address, listed, other]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, timeout=100)
    seen = json.loads(done.stdout)
    assert seen["other"] == dict.fromkeys(seen["other"], "TypeError: Failed to fetch")
    page = seen["listed"]
    assert page["answer"] == {"status": 200, "references": True, "id": True, "sent": "from-a-page"}
    assert page["refused"] == {"status": 401, "code": "Unauthenticated"}
    assert page["nowhere"] == {"status": 404, "code": "ResourceNotFound"}
    assert page["put"]["status"] == 201
    assert page["put"]["etag"]
    assert page["events"]["kind"].startswith("text/event-stream")
    assert page["events"]["parts"] > 1
    assert page["events"]["last"]
    assert page["cookies"] == "TypeError: Failed to fetch"
