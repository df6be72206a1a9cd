"""The OAuth providers of the official MCP clients, unmodified, find the tenant by this service's metadata and sign in:
a user by an authorization code, an app by its secret."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Final

import pytest

from retrieval import compose
from retrieval.local.host import Host
from retrieval.local.server import serving
from tests.access.authority import AUDIENCE
from tests.clients.tenant import CLIENT, REDIRECT, SECRET, Tenant
from tests.clients.test_mcp_clients import HERE, run
from tests.environments import needs_node
from tests.rooms import NEEDS_MCP
from tests.third_parties import mcp_client, mcp_clients_for_node

pytestmark = [pytest.mark.slow, NEEDS_MCP]

PATHS: Final = ("/agents/earth-at-night/mcp", "/knowledgebases('earth-at-night')/mcp")
TOOLS: Final = {
    PATHS[0]: ["knowledge_base_retrieve", "rag_retrieve", "answer"],
    PATHS[1]: ["knowledge_base_retrieve"],
}
GRANTS: Final = ["authorization_code", "client_credentials"]


@pytest.fixture
async def tenant() -> AsyncIterator[Tenant]:
    tenant = Tenant()
    async with tenant.listening():
        yield tenant


@pytest.fixture
async def address(host: Host, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """This service, which takes that tenant's tokens; its addresses of MCP are among the URIs of its app."""
    await compose.end()
    async with serving(host) as address:
        own = [f"{address}{path}" for path in PATHS]
        audiences = [AUDIENCE, *own]
        tenant.scopes = frozenset(f"{audience}/.default" for audience in audiences)
        for name, value in {"LOCAL": "1", **tenant.settings, "ENTRA_AUDIENCE": ",".join(audiences)}.items():
            monkeypatch.setenv(name, value)
        yield address
    await compose.end()


def job(url: str) -> str:
    return json.dumps({"url": url, "client": CLIENT, "secret": SECRET, "redirect": REDIRECT})


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("way", ["python 1", "python 2"])
async def test_the_clients_for_python_sign_in(way: str, path: str, tenant: Tenant, address: str) -> None:
    python = mcp_client() if way == "python 1" else sys.executable
    seen = await asyncio.to_thread(run, [python, HERE / "mcp_sign_in.py", job(f"{address}{path}")])
    assert seen == {"user": TOOLS[path], "app": TOOLS[path]}
    assert tenant.signed_in == GRANTS


@pytest.mark.parametrize("path", PATHS)
async def test_the_clients_for_typescript_sign_in(path: str, tenant: Tenant, address: str) -> None:
    needs_node()
    program, packages = HERE / "mcp_sign_in.mjs", mcp_clients_for_node()
    seen = await asyncio.to_thread(run, ["node", program, packages, job(f"{address}{path}")])
    assert seen == {way: {"user": TOOLS[path], "app": TOOLS[path]} for way in ("ts 1", "ts 2")}
    assert tenant.signed_in == GRANTS * 2
