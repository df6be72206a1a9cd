"""docs/operating/runbook.md: its queries are right and name the cause of each outage, and its commands run."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Final, get_args

import pytest

from retrieval import definitions, models, outgoing, sources
from retrieval.contracts.azure.errors import STATUSES
from retrieval.errors import BackendError, Ended, Lack, Refusal, RetrievalError, Trouble, Why
from retrieval.local.wire import WireRequest, WireResponse
from retrieval.telemetry.outgoing_calls import UNRANKED_BY
from tests.conftest import Post
from tests.environments import ROOT
from tests.infra import kql
from tests.infra.watching import ALERTS, SECTIONS
from tests.running import served
from tests.scenarios.failures.conftest import Retrieve
from tests.scenarios.outages.alerting import alerts, now
from tests.scenarios.outages.test_outages import OUTAGES, Settings, happens
from tests.scripted_azure import ScriptedAzure, document, failing, found, queries
from tests.telemetry.recording import Recording

PAGE: Final = (ROOT / "docs" / "operating" / "runbook.md").read_text(encoding="utf-8")
FIRST: Final = "Runbook: an alert has come"
QUERIES: Final = {
    section.partition("\n")[0]: re.findall(r"^```kusto\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    for section in re.split(r"^##? ", PAGE, flags=re.MULTILINE)
    if section.strip()
}
CAUSES: Final = {
    "ranker off": ("A called service refuses", {"error": "BackendMisconfigured", "index": "atlas"}),
    "ranker throttled": ("Callers are turned away", {"Name": "retrieval.throttles", "of": "azure.ai.search"}),
    "206": ("Answers are not ranked", {"index": "atlas", "reason": "capacityOverloaded"}),
    "model throttled": ("Plans are made without the model", {"what": "BackendThrottled 429, The chat model"}),
    "model gone": ("Plans are made without the model", {"what": "BackendMisconfigured 404 (deployment)"}),
    "model's identity refused": (
        "A called service refuses",
        {"error": "BackendForbidden", "model": "planner-model"},
    ),
    "index gone": ("Calls fail", {"error": "BackendMissing", "index": "atlas"}),
    "search 503": ("Calls fail", {"error": "BackendUnavailable", "index": "atlas"}),
    "quota": (FIRST, {"what": "BackendMisconfigured 402 (quota)"}),
    "store away": (FIRST, {"what": "BackendUnanswered (refused), The agent store"}),
}


def test_every_alert_has_its_section_and_every_section_its_alert() -> None:
    said = {str(one.properties["description"]).rpartition("#")[2] for one in alerts(heartbeat=True).values()}
    assert len(alerts(heartbeat=True)) == len(ALERTS)
    assert said == SECTIONS - {"errors-by-name"}


def of_errors() -> Iterator[type[RetrievalError]]:
    """Every class of errors of what is deployed, those of the clients of services too."""
    for package in (definitions, models, outgoing, sources):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    waiting: list[type[RetrievalError]] = [RetrievalError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if not kind.__module__.startswith(("retrieval.local", "tests.")):
            yield kind


def is_logged(kind: type[RetrievalError]) -> bool:
    """Whether an error of this class can be in a line from WARNING on, or in a metric."""
    status = next((STATUSES[base][0] for base in kind.__mro__ if base in STATUSES), 500)
    return kind not in {RetrievalError, BackendError} and (status >= 500 or issubclass(kind, BackendError))


IN_METRICS: Final = {"CancelledError", "UnsupportedFilter"}
"""Beside the errors of the log: what ends a search that nobody waits for, and what is the caller's."""

BY_NAME: Final = dict(re.findall(r"^### (\w+)\n\n(.*?)(?=^###? |\Z)", PAGE, re.MULTILINE | re.DOTALL))
FIRST_COMMANDS: Final = re.compile(r"First: `(.+)`\n\n")
AZD: Final = re.compile(r"azd env get-values?(?: [A-Z_]+)?")


def test_every_error_that_a_line_or_a_metric_can_name_has_its_section() -> None:
    assert set(BY_NAME) == {kind.__name__ for kind in of_errors() if is_logged(kind)} | IN_METRICS


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("BackendUnanswered", get_args(Why)),
        ("BackendUnavailable", get_args(Trouble)),
        ("BackendMisconfigured", get_args(Lack)),
        ("BackendRefused", get_args(Refusal)),
        ("BadModelReply", get_args(Ended)),
    ],
)
def test_every_word_of_a_cause_is_explained(error: str, words: tuple[str, ...]) -> None:
    assert [word for word in words if f"`({word})`" not in BY_NAME[error]] == []


def test_every_reason_and_change_of_a_metric_is_explained() -> None:
    assert [word for word in (*UNRANKED_BY, "opened", "closed") if f"`{word}`" not in PAGE] == []


def test_every_section_begins_with_the_one_command_to_run_first() -> None:
    """One of the commands at the top, which another test runs, or a reading of azd's environment."""
    (block,) = re.findall(r"^```bash\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    sections = dict(re.findall(r"^###? ([^\n]+)\n\n(.*?)(?=^###? |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    del sections["Errors by name"]
    assert len(sections) == len(BY_NAME) + len(SECTIONS) - 1
    for name, section in sections.items():
        command = FIRST_COMMANDS.match(section)
        assert command is not None, name
        assert command[1] in block.splitlines() or AZD.fullmatch(command[1]), name


def test_kustos_own_language_service_finds_nothing_wrong_with_a_query() -> None:
    asked = [query for section in QUERIES.values() for query in section]
    assert len(asked) == PAGE.count("```kusto")
    assert kql.problems(asked) == [[]] * len(asked)


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTAGES)
async def test_a_query_of_the_section_names_the_cause(
    name: str, azure: ScriptedAzure, settings: Settings, retrieve: Retrieve, post: Post, told: Recording
) -> None:
    section, expected = CAUSES[name]
    outage = OUTAGES[name]
    azure.chat, azure.search = queries("roads"), found(document("road", 3.1))
    outage.breaks(azure, settings)
    emitted, _ = await happens(outage, azure, retrieve, post, told)
    (query,) = QUERIES[section]
    (answer,) = kql.answers([query], emitted.rows)
    assert any(all(value in str(row[column]) for column, value in expected.items()) for row in answer), answer


def test_the_longest_step_of_slow_calls_is_found() -> None:
    steps = json.dumps(
        [{"step": "plan", "ms": 300}, {"step": "search atlas", "ms": 2_400}, {"step": "chat x", "ms": 290}]
    )
    slow = {"TimeGenerated": now(), "Id": "1", "Name": "retrieve", "DurationMs": 3_000.0}
    rows = {"AppDependencies": [{**slow, "Properties": {"retrieval.steps": steps}}]}
    (answer,) = kql.answers(QUERIES["Answers are slow"][:1], rows)
    assert [row["step"] for row in answer] == ["search atlas", "plan"]


def _commands(address: str) -> str:
    """What the commands of the page print, over the app at that address."""
    (block,) = re.findall(r"^```bash\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "APP": address, "KEY": "admin-key-7c1e", "NO_COLOR": "1"}
    return subprocess.run(["bash", "-c", block], cwd=ROOT, env=environ, capture_output=True, text=True).stdout


@pytest.mark.slow
async def test_the_commands_say_what_is_wrong(azure: ScriptedAzure, settings: Settings) -> None:
    off = failing(400, "Semantic search is not enabled for this service.", code="FeatureNotSupportedInService")
    plain = found(document("road", None))

    async def without_ranker(request: WireRequest) -> WireResponse:
        return await (off if "semantic" in request.body.decode() else plain)(request)

    azure.search = without_ranker
    deployed = {**settings, "ADMIN_API_KEYS": "admin-key-7c1e"}

    def run() -> str:
        with served(Path(sys.executable), environ=deployed) as address:
            return _commands(address)

    printed = await asyncio.to_thread(run)
    assert '{"status":"alive",' in printed
    assert '"search":"reachable"' in printed
    assert "fault    index atlas: Semantic ranking is off" in printed
