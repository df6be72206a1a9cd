"""What `make infra-check` looks at: the templates deploy what they promise, and nothing that we would regret."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.infra import check, outside
from tests.infra.evaluate import Template
from tests.infra.faults import Fault, faults
from tests.infra.policy import ACCOUNT, OPENAI, SEARCH, SITE
from tests.infra.values import Resource
from tests.sampling import sample

AZURE_YAML = (outside.ROOT / "azure.yaml").read_text(encoding="utf-8")


def evaluated(**given: Any) -> Template:
    sources = outside.sources()
    return check.deploy(check.parsed(sources), sources, given)


def deployed(**given: Any) -> list[Resource]:
    template = evaluated(**given)
    assert not template.problems
    return [one for one in template.resources if not one.existing]


def of(resources: list[Resource], type_name: str) -> Resource:
    (found,) = [one for one in resources if one.type == type_name]
    return found


def test_nothing_is_wrong_with_the_infrastructure() -> None:
    assert list(check.problems(outside.sources(), AZURE_YAML)) == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", sample(faults(), every=6), ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_fault_is_found_or_says_why_not(fault: Fault) -> None:
    found = next(check.problems(fault.seeded(outside.sources()), AZURE_YAML), "")
    assert bool(found) is not bool(fault.survives), found


def test_enough_faults_are_tried_and_few_survive() -> None:
    tried = {fault.name: fault for fault in faults()}
    survivors = [fault for fault in tried.values() if fault.survives]
    assert len(tried) == len(faults()) >= 30
    assert len(tried) - len(survivors) >= 27
    assert len(survivors) <= len(tried) / 10


def test_a_search_service_that_is_there_is_used_and_none_is_made() -> None:
    theirs = deployed(existingSearchName="theirs", existingSearchResourceGroup="rg-search")
    assert not [one for one in theirs if one.type == SEARCH]
    settings = of(theirs, "Microsoft.Web/sites/config/appsettings").properties
    assert "theirs.search.windows.net" in settings["AZURE_SEARCH_ENDPOINT"]


def test_without_a_model_there_is_none_and_the_settings_are_empty() -> None:
    resources = deployed(planner="none")
    assert not [one for one in resources if one.type.startswith(OPENAI)]
    settings = of(resources, "Microsoft.Web/sites/config/appsettings").properties
    assert (settings["AZURE_OPENAI_ENDPOINT"], settings["AZURE_OPENAI_DEPLOYMENT"]) == ("", "")


def test_a_setting_given_by_name_wins() -> None:
    settings = of(deployed(moreSettings={"LOG_CONTENT": "1"}), "Microsoft.Web/sites/config/appsettings").properties
    assert settings["LOG_CONTENT"] == "1"


@pytest.mark.parametrize(
    ("given", "sampler", "argument"),
    [
        ({}, "microsoft.fixed_percentage", "1"),
        ({"tracesPercent": 5}, "microsoft.fixed_percentage", "0.05"),
        ({"traceSampler": "microsoft.rate_limited"}, "microsoft.rate_limited", "5"),
        ({"traceSampler": "microsoft.rate_limited", "tracesPerSecond": 20}, "microsoft.rate_limited", "20"),
        ({"traceSampler": "always_off"}, "always_off", "1"),
    ],
)
def test_the_choice_of_traces_reaches_the_exporter(given: Mapping[str, Any], sampler: str, argument: str) -> None:
    settings = of(deployed(**given), "Microsoft.Web/sites/config/appsettings").properties
    assert (settings["OTEL_TRACES_SAMPLER"], settings["OTEL_TRACES_SAMPLER_ARG"]) == (sampler, argument)


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"perInstanceConcurrency": 0}, "perInstanceConcurrency"),
        ({"maximumInstanceCount": 1001}, "maximumInstanceCount"),
        ({"instanceMemoryMB": 1024}, "instanceMemoryMB"),
        ({"searchSku": "free"}, "searchSku"),
        ({"environmentName": ""}, "environmentName"),
        ({"alertErrorPercent": 101}, "alertErrorPercent"),
        ({"traceSampler": "traceidratio"}, "traceSampler"),
    ],
)
def test_a_value_outside_its_limits_is_refused(given: Mapping[str, Any], parameter: str) -> None:
    problems = evaluated(**given).problems
    assert any("main.bicep:" in problem and f" {parameter}: " in problem for problem in problems), problems


def test_every_wrong_value_is_named_at_once() -> None:
    problems = evaluated(publicApp=False, logDailyCapGB=0, apiKeys="").problems
    told = [problem for problem in problems if ": groupName: " in problem]
    assert told and all(name in told[0] for name in ("PUBLIC_APP=false", "LOG_DAILY_CAP_GB=0", "Nobody is admitted"))


@pytest.mark.parametrize(
    ("given", "sku"),
    [
        ({}, "Standard_LRS"),
        ({"storageSku": "Standard_ZRS"}, "Standard_ZRS"),
        ({"zoneRedundant": True}, "Standard_ZRS"),
    ],
)
def test_storage_is_replicated_as_asked_and_over_zones_with_the_app(given: Mapping[str, Any], sku: str) -> None:
    assert of(deployed(**given), ACCOUNT).body["sku"] == {"name": sku}


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        ({}, ["User", "User"]),
        ({"principalType": "ServicePrincipal"}, ["ServicePrincipal", "ServicePrincipal"]),
        ({"deployerRoles": False}, []),
        ({"principalId": ""}, []),
        ({"existingSearchName": "theirs"}, []),
    ],
)
def test_who_deploys_may_make_and_load_an_index_of_a_search_service_that_is_made(
    given: Mapping[str, Any], kinds: list[str]
) -> None:
    made = [one for one in deployed(**given) if one.symbol in {"makesIndexes", "loadsDocuments"}]
    assert [one.properties["principalType"] for one in made] == kinds
    assert all(one.scope is not None and one.scope.type == SEARCH for one in made)


def test_the_defaults_scale_to_zero_and_cost_little() -> None:
    resources = deployed()
    scale = of(resources, SITE).properties["functionAppConfig"]["scaleAndConcurrency"]
    assert (scale["alwaysReady"], scale["instanceMemoryMB"]) == ([], 2048)
    search = of(resources, SEARCH)
    assert search.body["sku"] == {"name": "basic"}
    assert (search.properties["replicaCount"], search.properties["partitionCount"]) == (1, 1)
