"""The store of definitions: a file, and a table that refuses the identity."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from retrieval.doctor.definitions import DefinitionSet, examine, read
from retrieval.doctor.services import Backend
from retrieval.errors import BackendError, BackendForbidden, BackendUnavailable
from retrieval.http.rooms import Stores
from retrieval.model.definitions import Agent, Kept, Stored, WriteResult
from retrieval.model.finding import Finding
from retrieval.model.precondition import Precondition
from retrieval.outgoing.access_tokens import NoToken, Token
from tests.doctor.conftest import PRINCIPAL, Stage
from tests.scenarios.failures.jumping_loop import standing

PLACE: Final = "https://contoso1.table.core.windows.net"
TABLE: Final = Backend(
    kind="storage",
    title="Table storage",
    setting="AGENTS_STORE",
    endpoint=PLACE,
    audience="https://storage.azure.com",
    resources="storage account",
)


async def about_the_store(stage: Stage) -> list[Finding]:
    return [one for one in await stage.examine() if one.subject == "definitions"]


async def test_a_file_that_can_be_written_is_well(stage: Stage) -> None:
    stage.environ["AGENTS_STORE"] = str(stage.folder / "kept.json")
    [one] = await about_the_store(stage)
    assert (one.state, one.said) == (
        "ok",
        f"The file {stage.folder / 'kept.json'} can be read and written; it keeps 0 definitions.",
    )
    assert not (stage.folder / "kept.json").exists(), "an examination changes nothing"


async def test_a_file_that_cannot_be_written_is_a_fault(stage: Stage) -> None:
    (stage.folder / "folder").mkdir()
    stage.environ["AGENTS_STORE"] = str(stage.folder / "agents.json" / "kept.json")
    [one] = await about_the_store(stage)
    assert one.state == "fault"
    assert "AGENTS_STORE is a file" in one.do


async def test_what_cannot_be_read_is_named(stage: Stage) -> None:
    kept = stage.folder / "kept.json"
    kept.write_text(json.dumps({"agents": {"odd": {"etag": "0x1", "agent": "{}"}}}))
    stage.environ["AGENTS_STORE"] = str(kept)
    [odd, well] = await about_the_store(stage)
    assert (odd.state, odd.said) == ("fault", "These definitions cannot be read: 'odd'.")
    assert well.state == "ok"


async def test_without_a_store_it_says_so(stage: Stage) -> None:
    stage.environ["AGENTS_STORE"] = ""
    [one] = await about_the_store(stage)
    assert (one.state, "AGENTS_STORE is empty" in one.said) == ("skipped", True)


class Refusing:
    """A store that answers every verb with an error."""

    def __init__(self, error: BackendError) -> None:
        self.error = error

    async def get(self, name: str, *, copy: Stored[Agent] | None = None) -> Stored[Agent] | None:
        raise self.error

    async def list(self) -> tuple[Kept[Agent], ...]:
        raise self.error

    async def put(self, value: Agent, *, when: Precondition, seed: str | None = None) -> WriteResult[Agent]:
        raise self.error

    async def delete(self, name: str, *, when: Precondition) -> bool:
        raise self.error


class Somebody:
    """An identity with an object id."""

    kind = "ManagedIdentityCredential"

    async def get(self, audience: str) -> Token | NoToken:
        assert audience == "https://storage.azure.com"
        return Token(value="TOKEN", claims={"oid": PRINCIPAL, "idtyp": "app"})


async def of_a_table(error: BackendError) -> Sequence[Finding]:
    kept = await read(Stores(agents=Refusing(error), sources=Refusing(error)))  # type: ignore[arg-type]
    return await examine(PLACE, Stores(), kept, DefinitionSet(), service=TABLE, identity=Somebody())


async def test_a_table_that_refuses_the_identity_lacks_a_role() -> None:
    [one] = await of_a_table(BackendForbidden("The agent store", status=403, hint="It needs the role X."))
    assert one.lacking is not None
    assert (one.lacking.role, one.lacking.principal) == ("Storage Table Data Contributor", PRINCIPAL)
    assert one.lacking.scope == """az storage account list --query "[?name=='contoso1'].id" --output tsv"""
    assert "networkRuleSet" not in one.do


async def test_or_its_network_rules_are_the_reason() -> None:
    [one] = await of_a_table(BackendForbidden("The agent store", status=403, hint="…, or network rules let it in."))
    assert "networkRuleSet" in one.do


async def test_a_table_that_is_away_is_a_fault_of_its_address() -> None:
    [one] = await of_a_table(BackendUnavailable("The agent store", "could not be reached."))
    assert one.lacking is None
    assert "AGENTS_STORE is https://<account>.table.core.windows.net" in one.do


@pytest.mark.parametrize(("signed_in", "state"), [(True, "ok"), (False, "fault")])
async def test_outside_azure_the_link_of_the_chain_is_named(
    signed_in: bool, state: str, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = {"accessToken": "T", "expires_on": 4102444800, "expiresOn": "2100-01-01 00:00:00.000000"}
    az = tmp_path / "az"
    az.write_text(f"#!/bin/sh\n[ {int(signed_in)} = 1 ] && echo '{json.dumps(token)}' || exit 1\n")
    az.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "AzureCliCredential")
    stage.environ["AZURE_SEARCH_API_KEY"] = ""
    async with standing():
        findings = await stage.examine()
    [one] = [one for one in findings if one.subject == "identity"]
    assert one.state == state
    if signed_in:
        assert one.said == "AzureCliCredential gets a token for https://search.azure.com."
    else:
        assert one.do.startswith("az login")
