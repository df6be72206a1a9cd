"""GET health: this process is alive, whatever else is not."""

import pytest

from retrieval.version import VERSION
from tests.http.monitoring.conftest import Look, Table
from tests.scenarios.failures.answer import header
from tests.scripted_azure import ScriptedAzure


async def test_a_process_is_alive_without_settings_and_asks_nobody(
    look: Look, settings: dict[str, str], azure: ScriptedAzure, table: Table
) -> None:
    settings.update(dict.fromkeys(settings, ""), LOCAL="0")
    answer = await look("/health")
    assert (answer.status, answer.json) == (200, {"status": "alive", "version": VERSION})
    assert header(answer, "cache-control") == "no-store"
    assert (azure.recorded, table.asked) == ([], [])


@pytest.mark.parametrize("path", ["/health", "/ready", "/openapi.json"])
async def test_what_everybody_is_told_has_no_secret_in_any_header(
    path: str, look: Look, settings: dict[str, str]
) -> None:
    settings["API_KEYS"] = "caller-key-that-nobody-is-told"
    answer = await look(path)
    assert answer.status in {200, 503}
    assert {name.lower() for name in answer.headers} <= {
        "cache-control",
        "content-length",
        "content-type",
        "request-id",
    }
    assert b"nobody-is-told" not in answer.body
