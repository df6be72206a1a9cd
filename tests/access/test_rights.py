"""What is allowed to whom: every route with every credential, as the one table says."""

import re
from pathlib import Path
from typing import Final

import pytest

from retrieval.access.credentials import GRANTED, Credential
from retrieval.compose.rooms import TABLE
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from tests.access.authority import Authority
from tests.access.conftest import ADMIN_KEYS, QUERY_KEYS, Deploy
from tests.access.test_header_smuggling import PLATFORM, ROLE, principal

DOCS: Final = Path(__file__).resolve().parents[2] / "docs" / "operating" / "access.md"
UNMATCHED: Final = "{*path}"

Headers = tuple[tuple[str, str], ...]


def written(template: str) -> str:
    """The address as the page writes it: a name after a slash too where it may stand in parentheses."""
    quoted = template.replace("/{name}", "('{name}')", 1)
    return quoted if any(address.split(" ")[1] == quoted for address in TABLE.routes) else template


def table() -> str:
    """Each right with the addresses that need it and their methods, in Markdown."""
    needing: dict[str, dict[str, list[str]]] = {}
    for address, route in sorted(TABLE.routes.items(), key=lambda row: row[1].needs is None):
        method, template = address.split(" ")
        methods = needing.setdefault(route.needs or "nothing", {}).setdefault(written(template), [])
        if method not in methods:
            methods.append(method)
    lists = (
        [f"Needs {right}:", "", *(f"- `{template}`: {', '.join(methods)}" for template, methods in listed.items())]
        for right, listed in needing.items()
    )
    return "\n\n".join("\n".join(lines) for lines in lists)


def rights() -> str:
    """Rights down, credentials across, in Markdown."""
    lines = [" | ".join(("Right", *GRANTED)), "|".join(["---"] * (1 + len(GRANTED)))]
    for right in ("retrieve", "manage"):
        cells = ["yes" if right in granted else "no" for granted in GRANTED.values()]
        lines.append(" | ".join((right, *cells)))
    return "\n".join(lines)


def routes(host: Host) -> set[str]:
    """The routes of the functions, except the catch-all."""
    functions = [function for function in host.engine.functions if function.template != UNMATCHED]
    return {f"{method} {function.template}" for function in functions for method in function.methods}


def ways(authority: Authority) -> dict[Credential, list[Headers]]:
    """Every way to show each credential."""

    def role(name: str) -> list[Headers]:
        tokens = (authority.token(roles=[name]), authority.token(roles=None, scp=name))
        bearers: list[Headers] = [(("authorization", f"Bearer {token}"),) for token in tokens]
        return [*bearers, (("x-ms-client-principal", principal((ROLE, name))),)]

    return {
        "no credential": [()],
        "query key": [(("api-key", key),) for key in QUERY_KEYS],
        "admin key": [(("api-key", key),) for key in ADMIN_KEYS],
        "retrieve role": role("Agents.Retrieve"),
        "manage role": role("Agents.Manage"),
    }


def test_the_table_has_a_row_for_every_route_that_there_is(host: Host) -> None:
    assert routes(host) == set(TABLE.routes)


@pytest.mark.parametrize("route", TABLE.routes)
async def test_everybody_gets_what_the_table_says_at(
    route: str, host: Host, deploy: Deploy, authority: Authority
) -> None:
    deploy({**PLATFORM, **authority.settings})
    method, template = route.split(" ")
    missing = 400 if template.endswith("/index/retrieve") else 401  # MissingAuthorization is a 400 in Model Studio
    path = re.sub(r"\{workspaceId:.*\)\}", "llm-nowhere", template.replace("{name}", "nobody-of-that-name"))
    target = f"/{path}?api-version=2025-05-01-preview"
    for credential, shown in ways(authority).items():
        for headers in shown:
            length = ("content-length", "0")
            response = await host(WireRequest(method=method, target=target, headers=(length, *headers), body=b""))
            needed = TABLE.routes[route].needs
            if needed is None or needed in GRANTED[credential]:
                assert response.status not in {401, 403}, (credential, response)
            else:
                assert response.status == (missing if credential == "no credential" else 403), (credential, response)


async def test_what_no_route_takes_tells_nobody_anything(host: Host, deploy: Deploy, authority: Authority) -> None:
    deploy({**PLATFORM, **authority.settings})
    for shown in ways(authority).values():
        for headers in shown:
            assert (await host(WireRequest(method="GET", target="/indexes", headers=headers, body=b""))).status == 404


@pytest.mark.room("doctor", "contracts/mcp", "contracts/model_studio")
@pytest.mark.parametrize("shown", [table(), rights()])
def test_the_documents_show_the_tables(shown: str) -> None:
    assert shown in DOCS.read_text(encoding="utf-8")


def test_every_key_may_retrieve_so_the_route_of_workspaces_asks_for_no_right() -> None:
    keys = {credential: rights for credential, rights in GRANTED.items() if credential.endswith(" key")}
    assert len(keys) == 2
    assert all("retrieve" in rights for rights in keys.values())


def test_nobody_may_what_nobody_needs() -> None:
    assert GRANTED["no credential"] == frozenset()
    needed = {route.needs for route in TABLE.routes.values()}
    assert needed - {None} == set().union(*GRANTED.values())
    assert needed == {"retrieve", "manage", None}
