"""A deployment over a scripted Azure, examined in this process: a search service, a model, a table and an identity."""

import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from retrieval.doctor.__main__ import examine
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from retrieval.model.finding import Finding
from tests.scenarios.failures.conftest import pytest_asyncio_loop_factories
from tests.scripted_azure import ScriptedAzure, answering, document, failing, found, replying

__all__ = ["pytest_asyncio_loop_factories"]

SEARCH_KEY: Final = "search-key-5b1f-secret"
MODEL_KEY: Final = "model-key-77aa-secret"
QUERY_KEY: Final = "query-key-4d1b-secret"
ADMIN_KEY: Final = "admin-key-c0fe-secret"
SECRETS: Final = (SEARCH_KEY, MODEL_KEY, QUERY_KEY, ADMIN_KEY)
PRINCIPAL: Final = "11111111-2222-3333-4444-555555555555"
CLIENT: Final = "66666666-7777-8888-9999-000000000000"
TENANT: Final = "99999999-0000-1111-2222-333333333333"
PLAN: Final = replying('{"queries": ["days of holiday"]}')
FOUND: Final = found(document("holidays", 2.9, title="Holidays", content="Everybody has thirty days of holiday."))


def jwt(**claims: str) -> str:
    """A token as Entra ID writes one, with a signature that nobody looks at here."""
    parts = ({"alg": "RS256"}, {"oid": PRINCIPAL, "appid": CLIENT, "idtyp": "app", **claims})
    return ".".join(
        [*(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts), "s"]
    )


TOKEN: Final = jwt(tid=TENANT)
GIVEN: Final = answering({"access_token": TOKEN, "expires_on": "4102444800", "resource": "r", "token_type": "Bearer"})


def by_method(**scripts: WireService) -> WireService:
    """A script for each method."""

    async def answer(request: WireRequest) -> WireResponse:
        return await scripts[request.method](request)

    return answer


@dataclass(slots=True)
class Stage:
    """Everything that a deployment calls, as a test scripts it, and the environment of the deployment."""

    azure: ScriptedAzure
    folder: Path
    environ: dict[str, str]
    table: WireService = field(default_factory=lambda: by_method(GET=answering({"value": []}), DELETE=failing(404)))
    identity: WireService = GIVEN
    authority: WireService = field(default_factory=lambda: answering({"issuer": f"https://a/{TENANT}/v2.0"}))

    def define(self, agents: object) -> None:
        """Write AGENTS_FILE."""
        (self.folder / "agents.json").write_text(json.dumps(agents), encoding="utf-8")

    async def __call__(self, request: WireRequest) -> WireResponse:
        """All at one address."""
        if request.target.startswith("/identity"):
            return await self.identity(request)
        if request.target.startswith("/authority"):
            return await self.authority(request)
        if request.target.startswith("/devstoreaccount1"):
            return await self.table(request)
        return await self.azure(request)

    async def examine(self) -> tuple[Finding, ...]:
        return await examine(self.environ, lambda finding: None)

    def with_entra(self, **settings: str) -> None:
        """Callers may bring tokens of a tenant."""
        usual = {
            "ENTRA_TENANT_ID": TENANT,
            "ENTRA_AUTHORITY": f"{self.azure.address}/authority",
            "ENTRA_AUDIENCE": "api://r",
        }
        self.environ |= {**usual, **settings}

    def by_token(self) -> None:
        """In Azure, without keys."""
        self.environ |= {
            "WEBSITE_INSTANCE_ID": "instance",
            "AZURE_CLIENT_ID": CLIENT,
            "AZURE_SEARCH_API_KEY": "",
            "AZURE_OPENAI_API_KEY": "",
        }


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """A deployment without a fault."""
    azure = ScriptedAzure(search=FOUND, chat=PLAN)
    stage = Stage(azure=azure, folder=tmp_path, environ={})
    async with serving(stage) as address:
        azure.address = address
        monkeypatch.setenv("IDENTITY_ENDPOINT", f"{address}/identity")
        monkeypatch.setenv("IDENTITY_HEADER", "from-the-platform")
        stage.environ |= {
            "AZURE_SEARCH_ENDPOINT": address,
            "AZURE_SEARCH_API_KEY": SEARCH_KEY,
            "AZURE_OPENAI_ENDPOINT": address,
            "AZURE_OPENAI_DEPLOYMENT": "planner",
            "AZURE_OPENAI_API_KEY": MODEL_KEY,
            "API_KEYS": QUERY_KEY,
            "ADMIN_API_KEYS": ADMIN_KEY,
            "AGENTS_FILE": str(tmp_path / "agents.json"),
            "AGENTS_STORE": f"{address}/devstoreaccount1",
        }
        stage.define([{"name": "handbook", "targetIndexes": [{"indexName": "atlas"}]}])
        yield stage
