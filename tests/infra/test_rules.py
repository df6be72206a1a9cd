"""The rules about values: each names its fault in a copy of the templates, and none names a harmless change."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from tests.infra import check, host, outside
from tests.infra.faults import Fault, faults
from tests.infra.test_template import AZURE_YAML
from tests.rooms import NEEDS_DOCTOR

HOST_JSON = (outside.ROOT / "host.json").read_text(encoding="utf-8")
SAMPLE = (outside.ROOT / "local.settings.sample.json").read_text(encoding="utf-8")
SCENARIOS: tuple[Mapping[str, Any], ...] = (
    {},
    {"privateNetwork": True, "publicApp": False},
    {"budgetAmount": 900, "budgetStart": "2026-12-01", "searchLocalAuth": True},
)


@cache
def parse_all() -> None:
    """Reads every seeded file at once, since to start the parser takes longer than to read a file."""
    seeded = [*faults("seeds.txt"), *faults("harmless.txt")]
    texts = [one.seeded(outside.sources())[one.file] for one in seeded if one.file.endswith(".bicep")]
    outside.trees({f"{number}.bicep": text for number, text in enumerate(texts)})


def named(fault: Fault) -> Iterator[str]:
    """What the rules say of the seeded templates."""
    parse_all()
    sources = fault.seeded(outside.sources())
    if fault.given is None:
        yield from check.problems(sources, AZURE_YAML)
    else:
        yield from check.scenario(check.parsed(sources), sources, fault.given)


@pytest.mark.parametrize("seed", faults("seeds.txt"), ids=lambda seed: seed.name.replace(" ", "-"))
def test_a_rule_names_its_fault(seed: Fault) -> None:
    assert any(seed.says in one for one in named(seed)), list(named(seed))


@pytest.mark.parametrize("change", faults("harmless.txt"), ids=lambda change: change.name.replace(" ", "-"))
def test_no_rule_names_a_harmless_change(change: Fault) -> None:
    parse_all()
    sources = change.seeded(outside.sources())
    files = check.parsed(sources)
    assert [one for given in SCENARIOS for one in check.scenario(files, sources, given)] == []


def test_nothing_is_wrong_with_what_stands_beside_the_templates() -> None:
    assert [*host.host(HOST_JSON), *host.azure(AZURE_YAML), *host.sample(SAMPLE)] == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"routePrefix": ""', '"routePrefix": "api"', "routePrefix"),
        ('"routePrefix": ""', '"maxOutstandingRequests": 20', "routePrefix"),
        ('"routePrefix": ""', '"routePrefix": "", "maxConcurrentRequests": 8', "maxConcurrentRequests"),
        ('"routePrefix": ""', '"routePrefix": "", "dynamicThrottlesEnabled": true', "dynamicThrottlesEnabled"),
        ('"Function": "Information"', '"Function": "Warning"', "the lines of calls"),
        ('"Function": "Information"', '"Function.agents_retrieve": "Error"', "the lines of calls"),
        (',\n      "Function": "Information"', "", "the lines of calls"),
        ('"default": "Warning"', '"default": "Information"', "the host's own lines"),
        ('"default": "Warning"', '"default": "Critical"', "the host's warnings"),
        ('"default": "Warning"', '"default": "Warn"', "is no log level"),
        ('  "telemetryMode": "OpenTelemetry",\n', "", "telemetryMode"),
        ('"OpenTelemetry"', '"ApplicationInsights"', "telemetryMode"),
        ("00:15:00", "00:05:00", "before the longest runtime"),
        ("00:15:00", "00:10:00", "before the longest runtime"),
        ("00:15:00", "15", "no time as hh:mm:ss"),
        ('"version": "2.0",', '"version": "1.0",', "its version"),
        ('"version": "2.0",', '"version": "2.0", "extensionBundle": {"id": "x"},', "a bundle"),
        ('"version": "2.0",', '"version": "2.0", "http": {"routePrefix": ""},', "knows no http"),
        ('"version": "2.0",', '"version": "2.0"', "it is not JSON"),
    ],
)
def test_a_fault_in_host_json_is_named(old: str, new: str, says: str) -> None:
    assert old in HOST_JSON
    told = list(host.host(HOST_JSON.replace(old, new)))
    assert any(says in one for one in told), told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("00:15:00", "00:30:00"),
        ("00:15:00", "1.00:00:00"),
        ('"Function": "Information"', '"Function": "Debug"'),
        ('"default": "Warning"', '"default": "Warning", "Host.Results": "Error"'),
    ],
)
def test_a_harmless_change_of_host_json_is_not_named(old: str, new: str) -> None:
    assert old in HOST_JSON
    assert list(host.host(HOST_JSON.replace(old, new))) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("path: infra", "path: infrastructure", "there is no infrastructure/main.bicep"),
        ("module: main", "module: service", "there is no infra/service.bicep"),
        ("provider: bicep", "provider: terraform", "infra/ is Bicep"),
        ("project: .", "project: ./src", "no Functions project"),
        ("python3 -m retrieval.doctor", "python3 -m retrieval.physician", "runs retrieval.physician"),
        pytest.param("python -m retrieval.doctor", "python -m doctor", "runs doctor", marks=NEEDS_DOCTOR),
        ("python3 -m retrieval.doctor", "./doctor.sh", "runs ./doctor.sh"),
        ("retrieval/commit.txt", "retrieval/build.txt", "which nobody has looked at"),
        ("--short=8 HEAD >", "--short=8 main >", "which nobody has looked at"),
        ("hooks:", "pipeline:\n  provider: github\nhooks:", "pipeline is not looked at"),
        ("interactive: true", "interactive: false", "a hook that asks has"),
        ("interactive: false", "interactive: true", "a hook that asks nothing"),
        ("continueOnError: true", "continueOnError: false", "ends the deployment"),
        ("shell: sh\n", "shell: pwsh\n", "in pwsh"),
    ],
)
def test_a_name_in_azure_yaml_of_what_is_not_there_is_named(old: str, new: str, says: str) -> None:
    assert old in AZURE_YAML
    told = list(host.azure(AZURE_YAML.replace(old, new)))
    assert any(says in one for one in told), told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"API_KEYS": "local-dev-key"', '"API_KEYS": "Zk3vX0qT9a"'),
        ('"API_KEYS": "local-dev-key"', '"API_KEYS": "local-dev-key,Zk3vX0qT9a"'),
        ('"AZURE_SEARCH_ENDPOINT": ""', '"AZURE_SEARCH_ENDPOINT": "https://contoso.search.windows.net"'),
        ('"AZURE_SEARCH_ENDPOINT": ""', '"AZURE_SEARCH_ENDPOINT": "http://localhost.contoso.com:7072"'),
        ('"AZURE_OPENAI_API_KEY": ""', '"AZURE_OPENAI_API_KEY": "0123456789abcdef"'),
        (
            '"AzureWebJobsStorage": ""',
            '"AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b"',
        ),
        ('"LOG_CONTENT": ""', '"LOG_CONTENT": "1"'),
        ('"LOCAL": "1"', '"LOCAL": "0"'),
    ],
)
def test_a_value_that_is_not_local_is_named_in_the_sample(old: str, new: str) -> None:
    assert old in SAMPLE
    assert list(host.sample(SAMPLE.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"AzureWebJobsStorage": ""', '"AzureWebJobsStorage": "UseDevelopmentStorage=true"'),
        ('"AZURE_SEARCH_ENDPOINT": ""', '"AZURE_SEARCH_ENDPOINT": "http://localhost:7072"'),
        ('"CHAT_URL": ""', '"CHAT_URL": "http://127.0.0.1:11434/v1"'),
        ('"AZURE_SEARCH_API_KEY": ""', '"AZURE_SEARCH_API_KEY": "local-admin-key"'),
    ],
)
def test_a_local_value_is_not_named_in_the_sample(old: str, new: str) -> None:
    assert old in SAMPLE
    assert list(host.sample(SAMPLE.replace(old, new))) == []
