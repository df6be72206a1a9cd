"""Who watches: the alerts with their thresholds and whom they tell, the workbook, and the log that both read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from retrieval.telemetry.names import UNKNOWN_VERSIONS
from tests.infra.policy import INSIGHTS, SEARCH, Given
from tests.infra.values import Resource, at, bare, of

LOG: Final = "Microsoft.Insights/scheduledQueryRules"
METRIC: Final = "Microsoft.Insights/metricAlerts"
WORKSPACE: Final = "Microsoft.OperationalInsights/workspaces"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A rule over a resource of type `over`: it asks a table for something, against the value of a parameter, or 1."""

    type: str
    over: str
    asks: str
    parameter: str | None = None
    table: str = "AppRequests"


ALERTS: Final = {
    "alert-errors": Alert(type=LOG, over=WORKSPACE, asks="toint(ResultCode) >= 500", parameter="alertErrorPercent"),
    "alert-latency": Alert(
        type=LOG, over=WORKSPACE, asks="percentilew(DurationMs, ItemCount, 95)", parameter="alertLatencyMs"
    ),
    "alert-throttled": Alert(type=LOG, over=WORKSPACE, asks='ResultCode == "429"', parameter="alertThrottledPercent"),
    "alert-search-throttled": Alert(
        type=METRIC, over=SEARCH, asks="ThrottledSearchQueriesPercentage", parameter="alertThrottledPercent"
    ),
    "alert-unknown-versions": Alert(type=LOG, over=WORKSPACE, asks=f'Name == "{UNKNOWN_VERSIONS}"', table="AppMetrics"),
}
"""Columns: https://learn.microsoft.com/azure/azure-monitor/reference/tables/apprequests; the metric:
https://learn.microsoft.com/azure/search/monitor-azure-cognitive-search-data-reference"""

COUNTS_ROWS: Final = re.compile(r"\b(?:count|countif|percentile|percentiles|avg)\(")
"""Functions for which a row is a row, and not the `ItemCount` calls that it stands for."""


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the resources of one scenario breaks a rule."""
    found = {str(one.body["name"]).rpartition("-")[0]: one for one in (*of(resources, LOG), *of(resources, METRIC))}
    if {name: one.type for name, one in found.items()} != {name: alert.type for name, alert in ALERTS.items()}:
        yield f"the alerts are {sorted(found)}, not {sorted(ALERTS)}"
    for name, one in found.items():
        if name in ALERTS:
            yield from _alert(one, ALERTS[name], resources)
            yield from _condition(one, ALERTS[name], resources, given)
    yield from _told(resources, given)
    yield from _workbook(resources)


def _alert(one: Resource, alert: Alert, resources: Sequence[Resource]) -> Iterator[str]:
    if one.properties.get("enabled") is not True:
        yield f"{one}: it is not enabled"
    if one.properties.get("windowSize") != "PT15M":
        yield f"{one}: its parameter is said to be over 15 minutes"
    if [bare(scope) for scope in one.properties["scopes"]] != _ids(resources, alert.over):
        yield f"{one}: it must look at {alert.over}"
    actions = one.properties.get("actions", {})
    groups = (
        actions.get("actionGroups") if isinstance(actions, dict) else [at(each, "actionGroupId") for each in actions]
    )
    if groups != _ids(resources, "Microsoft.Insights/actionGroups"):
        yield f"{one}: it tells nobody"


def _condition(one: Resource, alert: Alert, resources: Sequence[Resource], given: Given) -> Iterator[str]:
    conditions: Sequence[Mapping[str, Any]] = at(one.properties, "criteria.allOf") or []
    if len(conditions) != 1:
        yield f"{one}: it has one condition"
    for condition in conditions:
        usual = 1 if alert.parameter is None else condition.get("threshold")
        if condition.get("threshold") != given.get(alert.parameter or "", usual):
            yield f"{one}: its threshold is not {alert.parameter or 1}"
        if not str(condition.get("operator")).startswith("GreaterThan"):
            yield f"{one}: more is worse"
        if alert.asks not in str(condition.get("query", condition.get("metricName"))):
            yield f"{one}: it must ask for {alert.asks}"
        if one.type == LOG:
            yield from _query(one, condition, alert.table, _ids(resources, INSIGHTS))


def _query(one: Resource, condition: Mapping[str, Any], counted: str, insights: Sequence[str]) -> Iterator[str]:
    query = str(condition.get("query"))
    table, ours, *_, last = (part.strip() for part in bare(query).split("|"))
    if table != counted or [ours] != [f'where _ResourceId =~ "{id}"' for id in insights]:
        yield f"{one}: it must count the requests of this app"
    if COUNTS_ROWS.search(query):
        yield f"{one}: it counts rows, not the calls that they stand for"
    if last.partition(" = ")[0] != f"project {condition.get('metricMeasureColumn')}":
        yield f"{one}: its query does not end in {condition.get('metricMeasureColumn')}, which is measured"


def _told(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    for one in of(resources, "Microsoft.Insights/actionGroups"):
        mailed = [each.get("emailAddress") for each in one.properties.get("emailReceivers", [])]
        expected = [given["alertEmail"]] if given.get("alertEmail") else []
        if one.properties.get("enabled") is not True or mailed != expected:
            yield f"{one}: it must tell {expected}"


def _workbook(resources: Sequence[Resource]) -> Iterator[str]:
    sources = [bare(one.properties.get("sourceId")) for one in of(resources, "Microsoft.Insights/workbooks")]
    if sources != _ids(resources, INSIGHTS) or len(sources) != 1:
        yield "there is one workbook, over Application Insights"
    for one in of(resources, "Microsoft.Insights/workbooks"):
        if not json.loads(one.properties["serializedData"])["items"]:
            yield f"{one}: it is empty"
    logs = [bare(one.properties.get("WorkspaceResourceId")) for one in of(resources, INSIGHTS)]
    if logs != _ids(resources, WORKSPACE):
        yield "Application Insights writes to the one workspace"


def _ids(resources: Sequence[Resource], type_name: str) -> list[str]:
    return list(dict.fromkeys(one.id for one in of(resources, type_name)))
