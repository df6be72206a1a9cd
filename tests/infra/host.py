"""What stands beside the templates and decides as much: host.json, azure.yaml and the sample of the settings."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from retrieval.settings.settings import BUILT_IN
from retrieval.version import COMMIT_FILE
from tests.infra import outside
from tests.infra.values import at, leaves
from tests.rooms import is_of_a_room_taken_away

KNOWN: Final = frozenset(
    "version telemetryMode functionTimeout extensions logging aggregator concurrency extensionBundle functions "
    "healthMonitor managedDependency retry singleton watchDirectories watchFiles".split()
)
"""https://learn.microsoft.com/azure/azure-functions/functions-host-json"""

LEVELS: Final = ("Trace", "Debug", "Information", "Warning", "Error", "Critical", "None")
SAMPLED: Final[Mapping[str, frozenset[str]]] = {
    "IsEncrypted": frozenset({"False"}),
    "FUNCTIONS_WORKER_RUNTIME": frozenset({"python"}),
    "LOCAL": frozenset({"1"}),
}
"""Words of the sample that say what it is; every other value is empty, a published local key or a local address."""

PUBLISHED: Final = BUILT_IN | {"UseDevelopmentStorage=true"}
ASKING: Final = ("tools.alert_email",)
"""Modules of hooks that ask whoever runs azd."""

COMMIT: Final = r"git rev-parse --short=8 HEAD (> |\| Out-File -Encoding ascii )" + f"retrieval/{COMMIT_FILE}"
"""A hook that says which commit is packaged, where `retrieval.version` reads it."""

LOCAL_ADDRESS: Final = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/[\w./-]*)?"


def host(text: str) -> Iterator[str]:
    """What is wrong with host.json."""
    try:
        found = json.loads(text)
    except ValueError as error:
        yield f"host.json: it is not JSON: {error}"
        return
    yield from (f"host.json: {problem}" for problem in _host(found))


def _host(found: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"the host knows no {name}" for name in sorted(set(found) - KNOWN))
    if found.get("version") != "2.0":
        yield 'its version is "2.0"'
    if at(found, "extensions.http.routePrefix") != "":
        yield "clients ask without a prefix: routePrefix is empty"
    if found.get("telemetryMode") != "OpenTelemetry":
        yield "the host and the service write one trace: telemetryMode is OpenTelemetry"
    if "extensionBundle" in found:
        yield "neither HTTP nor a timer needs one: a bundle is loaded at each cold start for nothing"
    yield from _timeout(found.get("functionTimeout"))
    yield from _levels(at(found, "logging.logLevel") or {})
    if at(found, "logging.applicationInsights") is not None:
        yield "OpenTelemetry mode reads nothing of logging.applicationInsights"
    limits = at(found, "extensions.http") or {}
    for name in ("maxConcurrentRequests", "maxOutstandingRequests"):
        if limits.get(name, -1) != -1:
            yield f"the service says itself how much is too much, {name} would answer without a body"
    if limits.get("dynamicThrottlesEnabled") is True:
        yield "the service says itself how much is too much, dynamicThrottlesEnabled would answer without a body"


def _timeout(text: object) -> Iterator[str]:
    """https://learn.microsoft.com/azure/azure-functions/functions-scale#timeout"""
    found = re.fullmatch(r"(?:(\d+)\.)?(\d\d):(\d\d):(\d\d)", str(text))
    if found is None:
        yield f"functionTimeout is {text!r}, no time as hh:mm:ss"
        return
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    whole = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds()
    if whole <= longest_runtime():
        yield f"functionTimeout ends a call before the longest runtime that one may ask for, {longest_runtime()} s"


def longest_runtime() -> int:
    """The most that docs/openapi.json lets a caller ask for, in seconds."""
    found = json.loads((outside.ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    return max(int(value) for path, value in leaves(found) if re.search(r"maxRuntimeInSeconds\b.*\.maximum$", path))


def _levels(levels: Mapping[str, str]) -> Iterator[str]:
    """Our own lines are of the categories `Function` and below it; calls are told at Information."""
    yield from (f"{value!r} is no log level" for value in levels.values() if value not in LEVELS)
    for name in ("Function", *(name for name in levels if name.startswith("Function."))):
        level = levels.get(name, levels.get("default", "Information"))
        if level in LEVELS and LEVELS.index(level) > LEVELS.index("Information"):
            yield f"the lines of calls are at Information, {name} keeps {level} only"
    if levels.get("default") in {"Trace", "Debug", "Information", None}:
        yield "the host's own lines cost more than they tell: default is Warning or above"
    if levels.get("default") in {"Error", "Critical", "None"}:
        yield "the host's warnings are lost"


def azure(text: str, root: Path = outside.ROOT) -> Iterator[str]:
    """What azure.yaml names is there: the template, the project of each service, the modules of each hook."""
    found: Mapping[str, Any] = outside.read_yaml(text)
    infra = found.get("infra", {})
    if infra.get("provider", "bicep") != "bicep":
        yield f"azure.yaml: infra/ is Bicep, not {infra['provider']}"
    template = Path(infra.get("path", "infra"), f"{infra.get('module', 'main')}.bicep")
    for path in (template, template.with_suffix(".parameters.json")):
        if not (root / path).is_file():
            yield f"azure.yaml: there is no {path}"
    for name, service in found.get("services", {}).items():
        if not (root / service.get("project", ".") / "host.json").is_file():
            yield f"azure.yaml: {name} is no Functions project in {service.get('project')}"
    hooks = found.get("hooks", {})
    for member, run in leaves(hooks):
        if member.endswith(".run"):
            yield from (f"azure.yaml: {problem}" for problem in _command(str(run), root))
            yield from (f"azure.yaml: {problem}" for problem in _hook(str(run), at(hooks, member.removesuffix(".run"))))
    for name in sorted(set(found) - {"name", "metadata", "requiredVersions", "infra", "services", "hooks"}):
        yield f"azure.yaml: {name} is not looked at"


def _hook(run: str, hook: Mapping[str, Any]) -> Iterator[str]:
    """Whoever is asked has a terminal, and what a hook fails in ends no deployment: it only tells."""
    asks = any(module in run for module in ASKING)
    if bool(hook.get("interactive")) is not asks:
        yield f"a hook that {'asks' if asks else 'asks nothing'} has interactive: {hook.get('interactive', False)}"
    if hook.get("continueOnError") is not True:
        yield f"{run.split()[0]} in a hook ends the deployment where it fails: continueOnError is true"
    if (hook.get("shell") == "pwsh") is not ("python " in run or "Out-File" in run):
        yield f"a hook runs {run!r} in {hook.get('shell')}"


def _command(run: str, root: Path) -> Iterator[str]:
    if re.fullmatch(COMMIT, run):
        return
    modules = re.findall(r"\bpython3? -m ([\w.]+)", run)
    for module in modules:
        try:
            known = find_spec(module)
            if known is not None and known.submodule_search_locations is not None:
                known = find_spec(f"{module}.__main__") or known
        except ModuleNotFoundError:
            known = None
        if known is None and not is_of_a_room_taken_away(module.replace(".", "/")):
            yield f"a hook runs {module}, which is not there"
    for script in re.findall(r"(?:^|\s)(\.{1,2}/[\w./-]+)", run):
        if not (root / script).is_file():
            yield f"a hook runs {script}, which is not there"
    if not modules and not re.search(r"\./", run):
        yield f"a hook runs {run!r}, which nobody has looked at"


def sample(text: str) -> Iterator[str]:
    """A sample holds no secret and leads nowhere: each value is empty, a published local key or a local address."""
    for path, value in leaves(json.loads(text)):
        name = path.rpartition(".")[2]
        parts = str(value).split(",") if value not in ("", None, {}, []) else []
        fine = SAMPLED.get(name, frozenset())
        for part in parts:
            if part not in fine | PUBLISHED and not re.fullmatch(LOCAL_ADDRESS, part):
                yield f"local.settings.sample.json: {name} has a value that is not local"
