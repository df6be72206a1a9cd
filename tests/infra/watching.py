"""Who watches: the alerts with their thresholds and whom they tell, the workbook, and the log that both read."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from retrieval.telemetry import names
from tests.infra import outside
from tests.infra.policy import INSIGHTS, SEARCH, WORKSPACE, Given, workspaces
from tests.infra.values import Resource, at, bare, ids, of

LOG: Final = "Microsoft.Insights/scheduledQueryRules"
METRIC: Final = "Microsoft.Insights/metricAlerts"
WEBTEST: Final = "Microsoft.Insights/webtests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A rule over a resource of type `over`: it asks a table for something, against the value of a parameter, or a
    number. `when` is the scenario's condition for it."""

    type: str
    over: str
    asks: str
    threshold: str | int
    table: str = "AppRequests"
    window: str = "PT15M"
    when: Callable[[Given], bool] = lambda given: True


def _capped(given: Given) -> bool:
    return bool(given["logDailyCapGB"] > 0) and not given.get("existingWorkspaceId")


def _reached(given: Given) -> bool:
    return bool(given["publicApp"])


def _metric(asks: str, threshold: int, *, window: str = "PT15M") -> Alert:
    return Alert(type=LOG, over=WORKSPACE, asks=asks, threshold=threshold, table="AppMetrics", window=window)


def _calls(asks: str, threshold: str) -> Alert:
    return Alert(type=LOG, over=WORKSPACE, asks=asks, threshold=threshold, table="union AppRequests, AppMetrics")


ALERTS: Final = {
    "alert-errors": _calls("status >= 500", "alertErrorPercent"),
    "alert-latency": Alert(
        type=LOG, over=WORKSPACE, asks="percentilew(DurationMs, ItemCount, 95)", threshold="alertLatencyMs"
    ),
    "alert-throttled": _calls("status == 429", "alertThrottledPercent"),
    "alert-search-throttled": Alert(
        type=METRIC, over=SEARCH, asks="ThrottledSearchQueriesPercentage", threshold="alertThrottledPercent"
    ),
    "alert-searches": _metric(f'"{names.CAUSE}"', 20),
    "alert-suspended": _metric(f'Name == "{names.BREAKER}"', 1),
    "alert-nothing-found": _metric(f'Name == "{names.SEARCHED}"', 50, window="P2D"),
    "alert-refused": _metric(f'"{names.SUBQUERIES}"', 3),
    "alert-throttles": _metric(f'Name == "{names.THROTTLES}"', 5),
    "alert-without-model": _metric(f'Name == "{names.MODEL_STEPS}"', 20),
    "alert-unranked": _metric(f'Name == "{names.UNRANKED}"', 20),
    "alert-unknown-versions": _metric(f'Name == "{names.UNKNOWN_VERSIONS}"', 1),
    "alert-log-cap": Alert(
        type=LOG, over=WORKSPACE, asks="IsBillable", threshold=80, table="Usage", window="P1D", when=_capped
    ),
    "alert-silent": replace(
        _metric(f'Name == "{names.HEARTBEAT}"', 1), when=lambda given: bool(given.get("heartbeat"))
    ),
    "alert-not-ready": Alert(type=METRIC, over=WEBTEST, asks="ready", threshold=2, when=_reached),
}
"""Columns: https://learn.microsoft.com/azure/azure-monitor/reference/tables/apprequests; the metric:
https://learn.microsoft.com/azure/search/monitor-azure-cognitive-search-data-reference"""

RUNBOOK: Final = (outside.ROOT / "docs" / "operating" / "runbook.md").read_text(encoding="utf-8")
SECTIONS: Final = frozenset(
    re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.*)$", RUNBOOK, re.M)
)
"""What an address of a section ends with."""

COUNTS_ROWS: Final = re.compile(r"\b(?:count|countif|percentile|percentiles|avg)\(")
"""Functions for which a row is a row, and not the `ItemCount` calls that it stands for."""


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the resources of one scenario breaks a rule."""
    expected = {name: alert for name, alert in ALERTS.items() if alert.when(given)}
    found = {str(one.body["name"]).rpartition("-")[0]: one for one in (*of(resources, LOG), *of(resources, METRIC))}
    if {name: one.type for name, one in found.items()} != {name: alert.type for name, alert in expected.items()}:
        yield f"the alerts are {sorted(found)}, not {sorted(expected)}"
    for name, one in found.items():
        if name in expected:
            yield from _alert(one, expected[name], resources, given)
            yield from _condition(one, expected[name], resources, given)
    yield from _told(resources, given)
    yield from _asked(resources, given)
    yield from _budget(resources, given)
    yield from _workbook(resources, given)


def _alert(one: Resource, alert: Alert, resources: Sequence[Resource], given: Given) -> Iterator[str]:
    if one.properties.get("enabled") is not True:
        yield f"{one}: it is not enabled"
    if one.properties.get("windowSize") != alert.window:
        yield f"{one}: it is said to look back {alert.window}"
    over = workspaces(resources, given) if alert.over == WORKSPACE else ids(resources, alert.over)
    if over != [bare(scope) for scope in one.properties["scopes"]][:1]:
        yield f"{one}: it must look at {alert.over}"
    file, _, section = str(one.properties.get("description")).rpartition(" ")[2].partition("#")
    if file != "docs/operating/runbook.md" or section not in SECTIONS:
        yield f"{one}: its description does not end in a section of docs/operating/runbook.md, but in {file}#{section}"
    actions = one.properties.get("actions", {})
    groups = (
        actions.get("actionGroups") if isinstance(actions, dict) else [at(each, "actionGroupId") for each in actions]
    )
    if groups != _groups(resources, given):
        yield f"{one}: it tells nobody"


def _condition(one: Resource, alert: Alert, resources: Sequence[Resource], given: Given) -> Iterator[str]:
    threshold = given[alert.threshold] if isinstance(alert.threshold, str) else alert.threshold
    if alert.over == WEBTEST:
        if at(one.properties, "criteria.failedLocationCount") != threshold:
            yield f"{one}: it is raised where {threshold} places fail"
        return
    conditions: Sequence[Mapping[str, Any]] = at(one.properties, "criteria.allOf") or []
    if len(conditions) != 1:
        yield f"{one}: it has one condition"
    for condition in conditions:
        if condition.get("threshold") != threshold:
            yield f"{one}: its threshold is not {alert.threshold}"
        if not str(condition.get("operator")).startswith("GreaterThan"):
            yield f"{one}: more is worse"
        if alert.asks not in str(condition.get("query", condition.get("metricName"))):
            yield f"{one}: it must ask for {alert.asks}"
        if one.type == LOG:
            yield from _query(one, condition, alert.table, ids(resources, INSIGHTS))


def _query(one: Resource, condition: Mapping[str, Any], counted: str, insights: Sequence[str]) -> Iterator[str]:
    query = str(condition.get("query"))
    table, ours, *_, last = (part.strip() for part in bare(query).split("|"))
    if table != counted or (counted != "Usage" and [ours] != [f'where _ResourceId =~ "{id}"' for id in insights]):
        yield f"{one}: it must count the requests of this app"
    if COUNTS_ROWS.search(query):
        yield f"{one}: it counts rows, not the calls that they stand for"
    if not re.match(rf"project {condition.get('metricMeasureColumn')}(?: = |, |$)", last):
        yield f"{one}: its query does not end in {condition.get('metricMeasureColumn')}, which is measured"


def _groups(resources: Sequence[Resource], given: Given) -> Sequence[str]:
    """The one group that is told: the one that is given, or the one that is made."""
    made = ids(resources, "Microsoft.Insights/actionGroups")
    theirs = given.get("alertActionGroupId")
    return [*made, theirs] if theirs else made


def _told(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in of(resources, "Microsoft.Insights/actionGroups"):
        mailed = [each.get("emailAddress") for each in one.properties.get("emailReceivers", [])]
        expected = [given["alertEmail"]] if given.get("alertEmail") else []
        if one.properties.get("enabled") is not True or mailed != expected:
            yield f"{one}: it must tell {expected}"


def _asked(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    tests = of(resources, WEBTEST)
    addresses = [bare(at(one.properties, "Request.RequestUrl")) for one in tests]
    if addresses != (["https://site.properties.defaultHostName/ready"] if given["publicApp"] else []):
        yield f"the availability test asks {addresses}"
    for one in tests:
        if at(one.properties, "ValidationRules.ExpectedHttpStatusCode") != 200 or one.properties["Enabled"] is not True:
            yield f"{one}: it is on, and expects 200"


def _budget(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    amounts = [one.properties["amount"] for one in of(resources, "Microsoft.Consumption/budgets")]
    if amounts != ([given["budgetAmount"]] if given["budgetAmount"] else []):
        yield f"the budgets are {amounts}"
    for one in of(resources, "Microsoft.Consumption/budgets"):
        groups = _groups(resources, given)
        for name, notification in one.properties["notifications"].items():
            if notification["contactGroups"] != groups:
                yield f"{one}: {name} tells nobody"


def _workbook(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    sources = [bare(one.properties.get("sourceId")) for one in of(resources, "Microsoft.Insights/workbooks")]
    if sources != ids(resources, INSIGHTS) or len(sources) != 1:
        yield "there is one workbook, over Application Insights"
    for one in of(resources, "Microsoft.Insights/workbooks"):
        if not json.loads(one.properties["serializedData"])["items"]:
            yield f"{one}: it is empty"
    logs = [bare(one.properties.get("WorkspaceResourceId")) for one in of(resources, INSIGHTS)]
    if logs != workspaces(resources, given):
        yield "Application Insights writes to the one workspace"
