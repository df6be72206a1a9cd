"""The form of an alert: whether it can be raised at all, in the unit that it says, over what it says, and end again."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from tests.infra.policy import INSIGHTS, Given
from tests.infra.values import Resource, at, bare, ids, of
from tests.infra.watching import LOG, METRIC, WEBTEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric of Azure's: its unit, and the aggregations that say something of it."""

    unit: str
    aggregations: frozenset[str]


METRICS: Final[Mapping[tuple[str, str], Metric]] = {
    ("Microsoft.Search/searchServices", "ThrottledSearchQueriesPercentage"): Metric(
        unit="percent", aggregations=frozenset({"Average", "Maximum"})
    ),
    ("Microsoft.Search/searchServices", "SearchLatency"): Metric(
        unit="seconds", aggregations=frozenset({"Average", "Maximum"})
    ),
    ("Microsoft.Search/searchServices", "SearchQueriesPerSecond"): Metric(
        unit="a second", aggregations=frozenset({"Average", "Maximum"})
    ),
}
"""https://learn.microsoft.com/azure/azure-monitor/reference/supported-metrics/microsoft-search-searchservices-metrics"""

FREQUENCIES: Final = {
    LOG: frozenset("PT1M PT5M PT10M PT15M PT30M PT45M PT1H PT2H PT3H PT4H PT5H PT6H P1D".split()),
    METRIC: frozenset("PT1M PT5M PT15M PT30M PT1H".split()),
}
WINDOWS: Final = {
    LOG: frozenset("PT1M PT5M PT10M PT15M PT30M PT45M PT1H PT2H PT3H PT4H PT5H PT6H P1D P2D".split()),
    METRIC: frozenset("PT1M PT5M PT15M PT30M PT1H PT6H PT12H P1D".split()),
}
"""https://learn.microsoft.com/azure/azure-monitor/alerts/alerts-create-log-alert-rule, and
alerts-create-metric-alert-rule beside it"""

UNITS: Final[Mapping[str, tuple[float, float]]] = {"percent": (1, 100), "p95": (100, 600_000)}
"""What a measure of this name may be compared with: a share in percent, a duration in milliseconds."""

PLACES: Final = frozenset(
    "us-tx-sn1-azr us-il-ch1-azr us-ca-sjc-azr us-va-ash-azr us-fl-mia-edge apac-sg-sin-azr apac-hk-hkn-azr "
    "apac-jp-kaw-edge emea-gb-db3-azr emea-nl-ams-azr emea-se-sto-edge emea-ru-msa-edge emea-fr-pra-edge "
    "emea-ch-zrh-edge emea-au-syd-edge latam-br-gru-edge".split()
)
"""https://learn.microsoft.com/azure/azure-monitor/app/availability#location-population-tags"""

LEAST_CALLS: Final = 100
"""More calls in a window than this, before anything is said, keep an alert of a small service quiet for ever."""


def problems(resources: Sequence[Resource], given: Given) -> Iterator[str]:
    """What of the alerts of one scenario could not be raised, or would be for something else."""
    for one in (*of(resources, LOG), *of(resources, METRIC)):
        for rule in _EACH:
            yield from (f"{one}: {problem}" for problem in rule(one))
    for one in of(resources, WEBTEST):
        yield from (f"{one}: {problem}" for problem in _test(one, resources))
    for one in of(resources, METRIC):
        if at(one.properties, "criteria.webTestId") is not None:
            yield from (f"{one}: {problem}" for problem in _places(one, resources))


def duration(text: str) -> timedelta | None:
    """Of an ISO 8601 period in days, hours and minutes."""
    found = re.fullmatch(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?", text)
    if found is None:
        return None
    days, hours, minutes = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes)


def _periods(one: Resource) -> Iterator[str]:
    often, window = str(one.properties.get("evaluationFrequency")), str(one.properties.get("windowSize"))
    if often not in FREQUENCIES[one.type]:
        yield f"it cannot be evaluated each {often}"
    if window not in WINDOWS[one.type]:
        yield f"it cannot look back {window}"
    every, back = duration(often), duration(window)
    if every is not None and back is not None and back < every:
        yield f"it looks back {window} each {often}: what happens between is never seen"
    if one.properties.get("autoMitigate") is not True:
        yield "it must end by itself (autoMitigate), or what is over stays raised"
    if one.properties.get("muteActionsDuration") is not None:
        yield "an alert that ends by itself cannot be muted"


def _log(one: Resource) -> Iterator[str]:
    if one.type != LOG:
        return
    if one.body.get("kind", "LogAlert") != "LogAlert":
        yield f"its kind is {one.body['kind']}, which raises nothing"
    for condition in at(one.properties, "criteria.allOf") or []:
        periods = condition.get("failingPeriods") or {}
        number, least = periods.get("numberOfEvaluationPeriods", 1), periods.get("minFailingPeriodsToAlert", 1)
        if not 1 <= least <= number <= 6:
            yield f"{least} of {number} periods must fail: it can be 1 to 6, and no more than there are"
        yield from _measured(condition)
        yield from _apart(condition)
        yield from _query(str(condition.get("query")), str(condition.get("metricMeasureColumn")))


def _measured(condition: Mapping[str, Any]) -> Iterator[str]:
    measure, threshold = str(condition.get("metricMeasureColumn")), condition.get("threshold", 0)
    more = str(condition.get("operator")).startswith("Greater")
    if condition.get("timeAggregation") != ("Maximum" if more else "Minimum"):
        yield f"its worst row counts, not the {condition.get('timeAggregation')} of all"
    least, most = UNITS.get(measure, (1, 10**9))
    if not least <= threshold <= most:
        yield f"its threshold {threshold} is not from {least:g} to {most:g}, as {measure} is measured"


def _apart(condition: Mapping[str, Any]) -> Iterator[str]:
    """Each name that the query ends in, beside what is measured, has an alert of its own, and no name is left out. One
    alert for all would hide a second outage while the first lasts."""
    last = str(condition.get("query")).rpartition("|")[2].strip().removeprefix("project ")
    while (flat := re.sub(r"\([^()]*\)", "", last)) != last:
        last = flat
    columns = [part.partition("=")[0].strip() for part in last.split(",")]
    names = {name for name in columns if name != condition.get("metricMeasureColumn")}
    dimensions: Sequence[Mapping[str, Any]] = condition.get("dimensions") or []
    if {str(one.get("name")) for one in dimensions} != names or len(dimensions) != len(names):
        yield f"it is raised for each of {[one.get('name') for one in dimensions]}, its query ends in {sorted(names)}"
    for one in dimensions:
        if one.get("operator") != "Include" or one.get("values") != ["*"]:
            yield f"it leaves out a {one.get('name')}: {one.get('operator')} {one.get('values')}"


def _query(query: str, measure: str) -> Iterator[str]:
    if measure == "percent" and not re.search(r"percent = (?:100\.0 \* .* / |.* / \(10\.0 \* )", query):
        yield "percent is 100.0 times a share, in real numbers"
    for name, least in re.findall(r"where (\w+) >=? (\d+)", query):
        if int(least) > LEAST_CALLS:
            yield f"it says nothing before {name} is {least}"
    if re.search(r"\b(?:take|limit|sample)\b", query):
        yield "it looks at some of the rows only"
    if query.startswith("AppRequests") and not all(f'"{name}"' in query for name in ("health", "ready")):
        yield "it counts the probes of GET health and GET ready among the calls"


def _metric(one: Resource) -> Iterator[str]:
    if one.type != METRIC or at(one.properties, "criteria.allOf") is None:
        return
    for condition in at(one.properties, "criteria.allOf"):
        metric = METRICS.get((str(condition.get("metricNamespace")), str(condition.get("metricName"))))
        if metric is None:
            yield f"{condition.get('metricNamespace')} has no metric {condition.get('metricName')}"
            continue
        if condition.get("timeAggregation") not in metric.aggregations:
            yield f"{condition['metricName']} has {sorted(metric.aggregations)}, not {condition.get('timeAggregation')}"
        if metric.unit == "percent" and not 1 <= condition.get("threshold", 0) <= 100:
            yield f"its threshold {condition.get('threshold')} is no percentage"


def _test(one: Resource, resources: Sequence[Resource]) -> Iterator[str]:
    """An availability test shows in the component that its tag names."""
    found = one.properties
    (component,) = ids(resources, INSIGHTS) or ("",)
    linked = {bare(name): value for name, value in one.body.get("tags", {}).items() if name.startswith("hidden-link:")}
    if linked != {f"hidden-link:{component}": "Resource"}:
        yield "its tag does not link it to the component of this deployment"
    if found.get("SyntheticMonitorId") != one.body["name"]:
        yield "its SyntheticMonitorId is not its name"
    if one.body.get("kind") != "standard" or found.get("Kind") != "standard":
        yield "it is a standard test, the one kind that can still be made"
    if found.get("RetryEnabled") is not True:
        yield "one lost packet fails it: RetryEnabled"
    if at(found, "Request.HttpVerb") != "GET" or not bare(at(found, "Request.RequestUrl")).startswith("https://"):
        yield "it asks with GET, over https"
    if not found.get("Timeout", 0) < found.get("Frequency", 0):
        yield "it begins anew before it has ended"
    if at(found, "ValidationRules.SSLCheck") is not True:
        yield "it looks at no certificate"
    places = [each["Id"] for each in found["Locations"]]
    if len(set(places)) < len(places) or not set(places) <= PLACES:
        yield f"{places} are not places of Azure's, each once"


def _places(one: Resource, resources: Sequence[Resource]) -> Iterator[str]:
    criteria = one.properties["criteria"]
    tests = {each.id: each for each in of(resources, WEBTEST)}
    test = tests.get(bare(criteria.get("webTestId")))
    if test is None or [bare(criteria.get("componentId"))] != ids(resources, INSIGHTS):
        yield "it names another test or component than those of this deployment"
        return
    if {bare(scope) for scope in one.properties["scopes"]} != {test.id, *ids(resources, INSIGHTS)}:
        yield "it looks at the test and at its component, and at nothing else"
    places = len(test.properties["Locations"])
    if not 2 <= criteria.get("failedLocationCount", 0) <= places:
        yield f"{criteria.get('failedLocationCount')} places must fail, of {places}: two at least, and no more"
    window = (duration(str(one.properties.get("windowSize"))) or timedelta()).total_seconds()
    if window <= test.properties["Frequency"]:
        yield "its window is no longer than the test's period: where one test is late, it sees none"


_EACH: Final[Sequence[Callable[[Resource], Iterator[str]]]] = (_periods, _log, _metric)
