"""Eleven outages: what the caller gets, what the log says, what `GET ready` says, and which alerts are raised."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import pytest
from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter

from tests.conftest import Post
from tests.infra import kql
from tests.infra.watching import METRIC
from tests.running import free_port
from tests.sampling import sample
from tests.scenarios.failures.conftest import Retrieve
from tests.scenarios.outages.alerting import Emitted, alerts, condition, now, query, raised, rows
from tests.scripted_azure import ScriptedAzure, document, failing, found, queries
from tests.telemetry.exported import logged
from tests.telemetry.recording import Recording

CALLS: Final = 6
LATENCY: Final = "alert-latency"
"""Its quantile is not translated by what answers queries here: the language service alone reads it."""

Settings = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """`breaks` makes it happen. `caller` is the status and code of each call, `log` a line from WARNING on, `ready` its
    status and the members that are not reachable."""

    breaks: Callable[[ScriptedAzure, Settings], None]
    caller: tuple[int, str]
    log: str
    ready: tuple[int, Mapping[str, str]]
    alerts: frozenset[str]
    agent: str = "planner"


def _search(**answer: object) -> Callable[[ScriptedAzure, Settings], None]:
    def breaks(azure: ScriptedAzure, settings: Settings) -> None:
        azure.search = failing(**answer)  # type: ignore[arg-type]

    return breaks


def _model(status: int, *, code: str = "", also: int | None = None) -> Callable[[ScriptedAzure, Settings], None]:
    def breaks(azure: ScriptedAzure, settings: Settings) -> None:
        azure.chat = failing(status, code=code)
        if also is not None:
            azure.models = failing(also)

    return breaks


def _partial(azure: ScriptedAzure, settings: Settings) -> None:
    azure.search = found(document("road", None), partial="capacityOverloaded")


def _away(azure: ScriptedAzure, settings: Settings) -> None:
    azure.search = azure.count = failing(503)


def _no_store(azure: ScriptedAzure, settings: Settings) -> None:
    settings["AGENTS_STORE"] = f"http://127.0.0.1:{free_port()}/devstoreaccount1"
    settings["AGENTS_FILE"] = ""


IN_ATLAS: Final = "Azure AI Search, index 'atlas', source 'atlas'"
OUTAGES: Final[Mapping[str, Outage]] = {
    "ranker off": Outage(
        breaks=_search(status=400, code="FeatureNotSupportedInService", detail="SemanticQueriesNotAvailable"),
        caller=(502, "BackendMisconfigured"),
        log=f"BackendMisconfigured 400 (ranker), {IN_ATLAS}",
        ready=(503, {"search": "failing"}),
        alerts=frozenset({"alert-searches", "alert-errors", "alert-refused", "alert-not-ready"}),
    ),
    "ranker throttled": Outage(
        breaks=_search(status=429),
        caller=(429, "BackendThrottled"),
        log=f"BackendThrottled 429, {IN_ATLAS}",
        ready=(503, {"search": "failing"}),
        alerts=frozenset(
            {"alert-searches", "alert-throttled", "alert-throttles", "alert-search-throttled", "alert-not-ready"}
        ),
    ),
    "206": Outage(
        breaks=_partial,
        caller=(200, ""),
        log="search atlas: Azure AI Search did not rank every document: capacityOverloaded",
        ready=(200, {}),
        alerts=frozenset({"alert-unranked"}),
    ),
    "model throttled": Outage(
        breaks=_model(429),
        caller=(200, ""),
        log="plan is done without the model: BackendThrottled 429, The chat model",
        ready=(200, {}),
        alerts=frozenset({"alert-without-model", "alert-throttles"}),
    ),
    "model gone": Outage(
        breaks=_model(404, code="DeploymentNotFound"),
        caller=(200, ""),
        log="plan is done without the model: BackendMisconfigured 404 (deployment), The chat model",
        ready=(503, {"model": "deploymentMissing"}),
        alerts=frozenset({"alert-without-model", "alert-refused", "alert-not-ready"}),
    ),
    "model's identity refused": Outage(
        breaks=_model(401, code="PermissionDenied", also=401),
        caller=(200, ""),
        log="plan is done without the model: BackendForbidden 401, The chat model",
        ready=(503, {"model": "forbidden"}),
        alerts=frozenset({"alert-without-model", "alert-refused", "alert-not-ready"}),
    ),
    "index gone": Outage(
        breaks=_search(status=404),
        caller=(502, "BackendUnavailable"),
        log=f"BackendMissing 404, {IN_ATLAS}",
        ready=(503, {"search": "failing"}),
        alerts=frozenset({"alert-searches", "alert-errors", "alert-refused", "alert-not-ready"}),
    ),
    "search 503": Outage(
        breaks=_away,
        caller=(502, "BackendUnavailable"),
        log=f"BackendUnavailable 503, {IN_ATLAS}",
        ready=(503, {"search": "unavailable"}),
        alerts=frozenset({"alert-searches", "alert-errors", "alert-not-ready"}),
    ),
    "quota": Outage(
        breaks=_search(status=402),
        caller=(502, "BackendMisconfigured"),
        log=f"BackendMisconfigured 402 (quota), {IN_ATLAS}",
        ready=(503, {"search": "failing"}),
        alerts=frozenset({"alert-searches", "alert-errors", "alert-refused", "alert-not-ready"}),
    ),
    "store away": Outage(
        breaks=_no_store,
        caller=(502, "BackendUnavailable"),
        log="BackendUnanswered (refused), The agent store",
        ready=(503, {"agentStore": "unavailable", "model": "notConfigured"}),
        alerts=frozenset({"alert-errors", "alert-not-ready"}),
    ),
}
OF_HALVES: Final = frozenset({"alert-suspended", "alert-nothing-found"})
"""They are raised in test_half_outages."""
NOT_STARTING: Final = frozenset({"alert-not-ready"})
"""The eleventh: nobody answers, and nothing is emitted."""


async def happens(
    outage: Outage, azure: ScriptedAzure, retrieve: Retrieve, post: Post, told: Recording
) -> tuple[Emitted, list[tuple[int, str]]]:
    """The outage: what is emitted in it, and the lines of the log from WARNING on."""
    statuses = []
    with logged() as kept:
        for _ in range(CALLS):
            answer = await retrieve(agent=outage.agent)
            statuses.append(answer.status)
            assert (answer.status, answer.json.get("error", {}).get("code", "")) == outage.caller
        ready = await post(b"", "/ready", method="GET", key=None)
    parts = {
        name: state for name, state in ready.json.items() if name not in {"status", "settings", "version", "failing"}
    }
    expected = {"search": "reachable", "model": "reachable", "agentStore": "notConfigured", **outage.ready[1]}
    assert (ready.status, parts) == (outage.ready[0], expected)
    assert ("failing" in ready.json) is (parts["search"] == "failing" or "search" in outage.ready[1])
    lines = list(lines_of(kept))
    throttles = told.total("retrieval.throttles", retrieval__system="azure.ai.search")
    share = 100.0 * throttles / max(len(azure.searches), 1)
    return Emitted(rows=rows(told, statuses, lines), ready=ready.status, throttled=share), lines


def lines_of(kept: InMemoryLogRecordExporter) -> Iterator[tuple[int, str]]:
    """The lines from WARNING on, each with its level in the workspace."""
    for one in kept.get_finished_logs():
        severity = one.log_record.severity_number
        if severity is not None and severity.value >= SeverityNumber.WARN.value:
            yield (3 if severity.value >= SeverityNumber.ERROR.value else 2), str(one.log_record.body)


@pytest.mark.parametrize("name", sample(list(OUTAGES), every=3))
async def test_somebody_is_told_and_told_what(
    name: str, azure: ScriptedAzure, settings: Settings, retrieve: Retrieve, post: Post, told: Recording
) -> None:
    outage = OUTAGES[name]
    azure.chat, azure.search = queries("roads"), found(document("road", 3.1))
    outage.breaks(azure, settings)
    emitted, lines = await happens(outage, azure, retrieve, post, told)
    assert any(outage.log in line for _, line in lines), lines
    assert raised(emitted, alerts(), but=[LATENCY]) == outage.alerts


async def test_an_app_that_does_not_start_is_told_by_its_silence() -> None:
    silent = Emitted(ready=None)
    assert raised(silent, alerts(), but=[LATENCY]) == NOT_STARTING


async def test_where_nothing_is_wrong_nobody_is_told(
    azure: ScriptedAzure, settings: Settings, retrieve: Retrieve, post: Post, told: Recording
) -> None:
    azure.chat, azure.search = queries("roads"), found(document("road", 3.1))
    well = replace(OUTAGES["206"], ready=(200, {}))
    emitted, lines = await happens(well, azure, retrieve, post, told)
    assert lines == []
    assert raised(emitted, alerts(), but=[LATENCY]) == set()


async def test_the_other_alerts_are_raised_too(told: Recording, post: Post) -> None:
    for version in ("2031-01-01", "2032-01-01"):
        await post(b"", f"/knowledgebases?api-version={version}", method="GET", key="local-admin-key")
    billed = {"TimeGenerated": now(), "DataType": "AppTraces", "IsBillable": True}
    tables = rows(told, [200] * 6, [])
    little = {**tables, "Usage": [{**billed, "Quantity": 3_900.0}]}
    much = {**tables, "Usage": [{**billed, "Quantity": 2_000.0}] * 2}
    assert raised(Emitted(rows=little, ready=200), alerts(), but=[LATENCY]) == {"alert-unknown-versions"}
    told_twice = {"alert-unknown-versions", "alert-log-cap"}
    assert raised(Emitted(rows=much, ready=200), alerts(), but=[LATENCY]) == told_twice


def test_every_alert_is_raised_somewhere() -> None:
    somewhere = NOT_STARTING.union(*(outage.alerts for outage in OUTAGES.values()))
    assert somewhere | {"alert-unknown-versions", "alert-log-cap", LATENCY} | OF_HALVES == set(alerts())


def test_kustos_own_language_service_finds_nothing_wrong_with_an_alert() -> None:
    asked = [query(one) for one in alerts(heartbeat=True).values() if one.type != METRIC]
    assert kql.problems(asked) == [[]] * len(asked)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alert", "right", "wrong"),
    sample(
        [
            ("alert-errors", "status >=", "state >="),
            ("alert-refused", "ItemCount", "Count"),
            ("alert-unranked", "summarize", "sumarize"),
            ("alert-log-cap", "Usage", "Usages"),
            (LATENCY, "percentilew", "percentilw"),
        ],
        every=5,
    ),
)
def test_what_is_misspelt_is_found(alert: str, right: str, wrong: str) -> None:
    assert kql.problems([query(alerts()[alert]).replace(right, wrong)]) != [[]]


WEAKENED: Final = {
    "a metric that nothing emits": ("alert-refused", "retrieval.subqueries", "retrieval.subquery"),
    "an attribute that nothing has": ("alert-refused", "retrieval.error", "retrieval.eror"),
    "a floor that nothing reaches": ("alert-errors", "calls >= 5", "calls >= 20"),
    "an error that nothing is": ("alert-refused", "BackendMisconfigured", "BackendMisconfiguration"),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", sample(list(WEAKENED), every=4))
async def test_an_alert_that_would_not_be_raised_is_found(
    way: str, azure: ScriptedAzure, settings: Settings, retrieve: Retrieve, post: Post, told: Recording
) -> None:
    alert, right, wrong = WEAKENED[way]
    outage = OUTAGES["ranker off"]
    azure.chat = queries("roads")
    outage.breaks(azure, settings)
    emitted, _ = await happens(outage, azure, retrieve, post, told)
    rule = alerts()[alert]
    asked = {**condition(rule), "query": str(condition(rule)["query"]).replace(right, wrong)}
    weakened = replace(rule, body={**rule.body, "properties": {**rule.properties, "criteria": {"allOf": [asked]}}})
    assert raised(emitted, {alert: rule}) == {alert}
    assert raised(emitted, {alert: weakened}) == set()
