"""GET health: this process is alive, whatever else is not."""

from tests.failures.answer import header
from tests.monitoring.conftest import Look, Table
from tests.scripted_azure import ScriptedAzure


async def test_a_process_is_alive_without_settings_and_asks_nobody(
    look: Look, settings: dict[str, str], azure: ScriptedAzure, table: Table
) -> None:
    settings.update(dict.fromkeys(settings, ""), LOCAL="0")
    answer = await look("/health")
    assert (answer.status, answer.json) == (200, {"status": "alive"})
    assert header(answer, "cache-control") == "no-store"
    assert (azure.recorded, table.asked) == ([], [])
