"""The Host of a call, while the keys that everybody knows are accepted: DNS rebinding reads and changes nothing."""

import re
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.compose.rooms import TABLE
from retrieval.errors import NotAuthorized
from retrieval.http.call import check_host
from tests.access.conftest import ADMIN_KEYS, Deploy
from tests.conftest import Post, ask

BUILT_IN: Final = {"API_KEYS": "local-dev-key", "ADMIN_API_KEYS": "local-admin-key"}
ELSEWHERE: Final = "attacker.example:7071"
ASKED: Final = ask("Why is the street grid of Phoenix so sharply visible from space?")


@pytest.mark.parametrize("route", [*TABLE.routes, "GET nothing-here", "OPTIONS agents", "GET search/agents"])
async def test_no_route_answers_a_host_that_nobody_named(route: str, post: Post, deploy: Deploy) -> None:
    deploy(BUILT_IN, BASE_PATH="search", CORS_ORIGINS="*")
    method, template = route.split(" ")
    path = re.sub(r"\{workspaceId:.*\)\}", "llm-local", template.replace("{name}", "earth-at-night"))
    headers = {"host": ELSEWHERE, "origin": f"http://{ELSEWHERE}", "access-control-request-method": "GET"}
    answer = await post(
        b"", f"/{path}?api-version=2025-05-01-preview", method=method, key="local-admin-key", headers=headers
    )
    assert answer.status == 403
    assert "PUBLIC_HOSTS" in answer.body.decode()


@pytest.mark.parametrize(
    "name",
    ["localhost", "localhost:7071", "LOCALHOST.:7071", "app.localhost", "127.0.0.1:7071", "127.9.9.9", "[::1]:7071"],
)
async def test_loopback_is_answered(name: str, post: Post, deploy: Deploy) -> None:
    deploy(BUILT_IN)
    assert (await post(ASKED, headers={"host": name})).status == 200


@pytest.mark.parametrize(
    ("public", "name", "status"),
    [
        ("box.lan", "box.lan:7071", 200),
        ("other.lan,Box.lan:7071", "box.lan", 200),
        ("192.168.7.7", "192.168.7.7:7071", 200),
        ("192.168.7.7", "192.168.7.8:7071", 403),
        ("0.0.0.0", "192.168.7.8:7071", 200),
        ("::", "[fe80::1]:7071", 200),
        ("0.0.0.0", "box.lan", 403),
        ("box.lan", "box.lan.attacker.example", 403),
    ],
)
async def test_so_is_what_the_deployment_names(public: str, name: str, status: int, post: Post, deploy: Deploy) -> None:
    deploy(BUILT_IN, PUBLIC_HOSTS=public)
    assert (await post(ASKED, headers={"host": name})).status == status


@pytest.mark.parametrize("settings", [{}, {"LOCAL": "0", "AZURE_SEARCH_ENDPOINT": "http://127.0.0.1:9", **BUILT_IN}])
async def test_with_keys_of_ones_own_and_in_a_deployment_every_host_is_answered(
    settings: dict[str, str], post: Post, deploy: Deploy
) -> None:
    deploy(settings)
    answer = await post(b"", "/health", method="GET", key=ADMIN_KEYS[0], headers={"host": ELSEWHERE})
    assert answer.status == 200


@given(st.text(max_size=30) | st.from_regex(r"[\[\]:.0-9a-f@/?#]{0,30}"))
def test_whatever_else_a_host_is_it_is_refused(host: str) -> None:
    if not re.search(r"localhost|127\.|::1|0:1", host, re.IGNORECASE):
        with pytest.raises(NotAuthorized):
            check_host({"host": host}, named=["box.lan"])
