"""HEARTBEAT: a timer asks whether the app is ready, so that silence is told where nobody outside can ask."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

import pytest

from retrieval import compose
from retrieval.http.monitoring import beat
from tests.environments import ROOT
from tests.scenarios.failures.conftest import Retrieve
from tests.scenarios.outages.alerting import Emitted, alerts, raised, rows
from tests.scenarios.outages.test_half_outages import environment
from tests.scenarios.outages.test_outages import LATENCY
from tests.scripted_azure import ScriptedAzure, document, failing, found, queries
from tests.telemetry.recording import Recording, recording

Settings = dict[str, str]

SILENT: Final = "alert-silent"
DEPLOYED: Final = {"AZURE_SEARCH_ENDPOINT": "https://atlas.search.windows.net", "API_KEYS": "k", "AGENTS_FILE": "a"}
TIMERS: Final = """
import json, function_app
functions = {one.get_function_name(): one.get_function_json() for one in function_app.app.get_functions()}
bound = {name: json.loads(text)["bindings"] for name, text in functions.items()}
print(json.dumps({name: one for name, (one, *_) in bound.items() if one["type"] == "timerTrigger"}))
"""


def timers(environ: Mapping[str, str]) -> object:
    """The timers that the app registers in a process with these settings."""
    asked = [sys.executable, "-c", TIMERS]
    done = subprocess.run(asked, cwd=ROOT, env=dict(environ), capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_the_app_has_a_timer_with_a_heartbeat_and_none_without() -> None:
    beating = timers({**DEPLOYED, "HEARTBEAT": "1"})
    assert isinstance(beating, dict) and [*beating] == ["heartbeat"]
    assert beating["heartbeat"]["schedule"] == "0 */5 * * * *" and "runOnStartup" not in beating["heartbeat"]
    assert [timers(environ) for environ in (DEPLOYED, {**DEPLOYED, "HEARTBEAT": "1", "LOCAL": "1"})] == [{}, {}]


def test_only_a_heartbeat_has_the_alert_on_silence() -> None:
    assert [SILENT in alerts(closed=closed) for closed in (False, True)] == [False, False]
    assert [SILENT in alerts(closed=closed, heartbeat=True) for closed in (False, True)] == [True, True]


@pytest.mark.parametrize("heartbeat", [False, True])
def test_an_app_that_does_not_start_is_told_of_by_its_silence(heartbeat: bool, told: Recording) -> None:
    rules = alerts(closed=True, heartbeat=heartbeat)
    nothing = Emitted(ready=None)
    assert raised(nothing, rules, but=[LATENCY]) == ({SILENT} if heartbeat else set())
    of_the_host = Emitted(rows=rows(told, [503, 503], []), ready=None)
    assert raised(of_the_host, rules, but=[LATENCY]) == {"alert-errors"} | ({SILENT} if heartbeat else set())


async def beats(azure: ScriptedAzure, *scripts: object) -> Emitted:
    """What three beats leave behind, each with such a search service."""
    with recording() as told:
        for script in scripts:
            await compose.end()
            azure.count = script  # type: ignore[assignment]
            await beat(compose)
        return Emitted(rows=rows(told, [], []), ready=None)


@pytest.mark.parametrize(
    ("beating", "expected"),
    [("...", set()), ("x..", set()), ("xx.", set()), ("xxx", {SILENT})],
    ids=["well", "away once", "away twice", "away"],
)
async def test_an_app_that_is_not_ready_at_any_beat_is_told_of(
    beating: str,
    expected: set[str],
    azure: ScriptedAzure,
    settings: Settings,
    retrieve: Retrieve,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment(settings, monkeypatch)
    scripts = {".": azure.count, "x": failing(503)}
    emitted = await beats(azure, *(scripts[one] for one in beating))
    assert raised(emitted, alerts(closed=True, heartbeat=True), but=[LATENCY]) == expected


async def test_a_call_is_a_sign_of_life_too(
    azure: ScriptedAzure, settings: Settings, retrieve: Retrieve, told: Recording
) -> None:
    azure.chat, azure.search = queries("roads"), found(document("road", 3.1))
    statuses = [(await retrieve()).status]
    rules = alerts(closed=True, heartbeat=True)
    assert raised(Emitted(rows=rows(told, statuses, []), ready=None), rules, but=[LATENCY]) == set()
