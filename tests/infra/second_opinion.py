"""checkov over the templates, wrapped: alone it exits with 0 when it could not read a file, or found nothing to check.

Its rules are for all of App Service; what does not fit here is skipped below, each with the reason. A skip that is no
longer needed is a problem too.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests import third_parties

LEAST_RESOURCES: Final = 30

SKIPPED: Final[Mapping[str, str]] = {
    "CKV_AZURE_13": "App Service authentication is a parameter; the service authenticates every call itself",
    "CKV_AZURE_17": "callers have keys or tokens; client certificates would shut Microsoft's clients out",
    "CKV_AZURE_35": "the firewall denies by default where privateNetwork is on; else the app has no fixed address",
    "CKV_AZURE_63": "Flex Consumption has no HTTP log files; requests are in Application Insights",
    "CKV_AZURE_65": "Flex Consumption has no error pages on disk",
    "CKV_AZURE_66": "Flex Consumption has no failed request tracing",
    "CKV_AZURE_80": "it is not a .NET app",
    "CKV_AZURE_88": "Flex Consumption mounts no share; nothing is kept on disk",
    "CKV_AZURE_134": "public access is off where privateNetwork is on; checkov does not evaluate the condition",
    "CKV_AZURE_206": "storageSku says how far; what it holds is deployed again, not restored from another region",
    "CKV_AZURE_208": "replicas are a parameter; three cost three times as much from the first day",
    "CKV_AZURE_212": "Flex Consumption scales by itself; warm instances are a parameter",
    "CKV_AZURE_213": "Flex Consumption has no health check path; GET ready is for whoever balances regions",
    "CKV_AZURE_222": "publicApp turns public access off; checkov does not evaluate the condition",
    "CKV_AZURE_225": "zone redundancy is a parameter: not every region has zones",
    "CKV_AZURE_238": "the model's resource calls nothing, so it needs no identity",
}


def problems(folder: Path) -> Iterator[str]:
    """What checkov finds and nobody has a reason for; what it could not read; skips that nothing needs."""
    report = _report(folder)
    summary = report.get("summary", report)
    if summary.get("parsing_errors"):
        yield f"checkov cannot read {summary['parsing_errors']} of the files"
    if summary.get("resource_count", 0) < LEAST_RESOURCES:
        yield f"checkov sees {summary.get('resource_count', 0)} resources, fewer than {LEAST_RESOURCES}"
    failed = report.get("results", {}).get("failed_checks", [])
    for one in failed:
        if one["check_id"] not in SKIPPED:
            yield f"{one['check_id']} {one['resource']}: {one['check_name']}"
    for name in sorted(set(SKIPPED) - {one["check_id"] for one in failed}):
        yield f"{name} is skipped and does not fail any more"


def _report(folder: Path) -> dict[str, Any]:
    python = third_parties.checkov()
    checkov = str(python.parent / "checkov")
    command = [checkov, "--directory", str(folder), "--framework", "bicep", "--quiet", "--output", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    found = json.loads(done.stdout)
    report: dict[str, Any] = found[0] if isinstance(found, list) else found
    return report
