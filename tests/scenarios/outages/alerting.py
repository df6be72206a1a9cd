"""Which alerts of infra/ are raised over what was emitted: each condition as the evaluated template has it.

A log alert's query is answered over rows made of the telemetry, as Azure Monitor's exporter makes them; an alert on a
metric is compared with what the metric would be.

In OpenTelemetry mode the Functions host has ASP.NET Core's instrumentation make a request's span
(https://github.com/Azure/azure-functions-host/issues/8846), whose `http.response.status_code` the exporter writes as
`ResultCode`. How it fills `Name` has not been seen in Azure: no alert asks for more of it than `health` and `ready`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, TypeAlias

from opentelemetry.sdk.metrics.export import HistogramDataPoint

from tests.infra import check, kql, outside
from tests.infra.policy import INSIGHTS
from tests.infra.values import Resource, at, of
from tests.infra.watching import LOG, METRIC, WEBTEST
from tests.telemetry.recording import Recording

SEARCH_METRIC: Final = "ThrottledSearchQueriesPercentage"

Alerts: TypeAlias = Mapping[str, Resource]


def now() -> str:
    """The time as the logs have it. It is asked for when rows are made: a run of the tests may go past midnight."""
    return datetime.now(UTC).replace(tzinfo=None).isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """`ready` is the status of `GET ready`, None where nobody answers; `throttled` the share of searches that the
    search service throttled, in percent."""

    rows: kql.Rows = field(default_factory=dict)
    ready: int | None
    throttled: float = 0.0


@cache
def resources(*, closed: bool = False, heartbeat: bool = False) -> Sequence[Resource]:
    """What infra/ deploys where nothing else is said, or for a `closed` app, which no availability test can ask."""
    sources = outside.sources()
    said = {"heartbeat": heartbeat, **({"publicApp": False, "privateNetwork": True} if closed else {})}
    return check.deploy(check.parsed(sources), sources, said).resources


def alerts(*, closed: bool = False, heartbeat: bool = False) -> Alerts:
    """The rules, by the beginning of their names."""
    deployed = resources(closed=closed, heartbeat=heartbeat)
    found = (*of(deployed, LOG), *of(deployed, METRIC))
    return {str(one.body["name"]).rpartition("-")[0]: one for one in found}


def condition(alert: Resource) -> Mapping[str, Any]:
    (found,) = at(alert.properties, "criteria.allOf")
    asked: Mapping[str, Any] = found
    return asked


def query(alert: Resource) -> str:
    return re.sub(r'"<([^>"]*)>"', r'"\1"', str(condition(alert)["query"]))


def raised(emitted: Emitted, rules: Alerts, *, but: Sequence[str] = ()) -> set[str]:
    """The alerts whose condition holds."""
    by_log = {name: one for name, one in rules.items() if one.type == LOG and name not in but}
    answers = kql.answers([query(one) for one in by_log.values()], emitted.rows)
    logged = {name for (name, one), rows in zip(by_log.items(), answers, strict=True) if _reached(one, rows)}
    return logged | {name for name, one in rules.items() if one.type == METRIC and _exceeded(one, emitted)}


def _reached(alert: Resource, rows: Sequence[Mapping[str, Any]]) -> bool:
    asked = condition(alert)
    assert asked["operator"] == "GreaterThanOrEqual"
    measured = [row[asked["metricMeasureColumn"]] for row in rows]
    return any(value is not None and value >= asked["threshold"] for value in measured)


def _exceeded(alert: Resource, emitted: Emitted) -> bool:
    if at(alert.properties, "criteria.failedLocationCount") is None:
        asked = condition(alert)
        assert (asked["metricName"], asked["operator"]) == (SEARCH_METRIC, "GreaterThan")
        return bool(emitted.throttled > asked["threshold"])
    (test,) = of(resources(), WEBTEST)
    well = emitted.ready == at(test.properties, "ValidationRules.ExpectedHttpStatusCode")
    failed = 0 if well else len(test.properties["Locations"])
    return bool(failed >= at(alert.properties, "criteria.failedLocationCount"))


def rows(told: Recording, statuses: Sequence[int], lines: Sequence[tuple[int, str]]) -> kql.Rows:
    """The tables: a request a call as the Functions host writes it, the metrics, the spans, the log."""
    (insights,) = of(resources(), INSIGHTS)
    common = {"TimeGenerated": now(), "_ResourceId": insights.id, "ItemCount": 1}
    request = {**common, "Name": "agents_retrieve_odata", "DurationMs": 100.0}
    spans = [
        {**common, "Name": one.name, "DurationMs": 100.0, "Properties": dict(one.attributes or {})}
        for one in told.spans
    ]
    return {
        "AppRequests": [{**request, "ResultCode": str(status), "Success": status < 400} for status in statuses],
        "AppMetrics": [{**common, **one} for one in _metrics(told)],
        "AppDependencies": spans,
        "AppTraces": [{**common, "SeverityLevel": level, "Message": message} for level, message in lines],
    }


def _metrics(told: Recording) -> Iterator[Mapping[str, Any]]:
    for name, points in told.points.items():
        for point in points:
            histogram = isinstance(point, HistogramDataPoint)
            total = point.sum if isinstance(point, HistogramDataPoint) else point.value
            count = point.count if isinstance(point, HistogramDataPoint) else 1
            assert histogram or count == 1
            yield {"Name": name, "Sum": total, "ItemCount": count, "Properties": dict(point.attributes or {})}
