"""Downloads Microsoft's tests and runs them in an environment of their own."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tests import third_parties
from tests.conformance import hotels
from tests.environments import ROOT
from tests.running import searching, served

VERSION: Final = third_parties.CONFORMANCE
KEY: Final = "local-dev-key"
MANAGING: Final = "local-admin-key"
KNOWLEDGE: Final = ("test_knowledge_base*live*.py", "test_search_index_client_knowledge_base*.py")

LEFT_OUT: Final[Mapping[str, str]] = {
    "test_knowledge_": "knowledge bases and sources are run against the service itself, by `run_knowledge`",
    "test_search_indexer_client_live": "indexers: there is nothing to crawl",
    "test_search_index_client_data_source_live": "data sources: there is nothing to crawl",
}
"""Beginnings of file names whose tests are not run, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run came to; `failed` and `skipped` name tests, each with what was said."""

    passed: int
    failed: Mapping[str, str]
    skipped: Mapping[str, str]
    said: str


def run_over_loopback() -> Outcome:
    with searching() as address:
        return run({"SEARCH_ENDPOINT": address, "SEARCH_API_KEY": MANAGING})


def run_in_process() -> Outcome:
    return run({"SEARCH_ENDPOINT": "https://local-search.invalid", "CONFORMANCE_IN_PROCESS": "1"})


def run_knowledge(version: str, *, speaking: str = "") -> Outcome:
    """The tests of knowledge bases of a version of the SDK, against the service and the search service at one address.

    Those of sources that Azure crawls (web, files) are left out. Each call is in the api-version `speaking`, if any: it
    is rewritten on its way.
    """
    with served(environ={"AGENTS_STORE": "memory"}, version=speaking) as address:
        return run({"SEARCH_ENDPOINT": address, "SEARCH_API_KEY": MANAGING}, version=version, files=KNOWLEDGE)


def run(settings: Mapping[str, str], *, version: str = VERSION, files: Sequence[str] = ()) -> Outcome:
    """One run of the files of these patterns, or of all tests that are not left out, with its own copy of them."""
    python = third_parties.search_conformance(version)
    with _tests(version) as folder:
        report = folder / "report.xml"
        files = sorted(path.name for path in _chosen(folder, files))
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.conformance.plugin"]
        paths = os.pathsep.join([str(ROOT / "tests" / "conformance" / "stand_ins"), str(ROOT)])
        done = subprocess.run(
            [*command, "-o", "asyncio_mode=auto", f"--junitxml={report}", *files],
            cwd=folder,
            env={**os.environ, "SEARCH_API_KEY": KEY, "PYTHONPATH": paths, **settings},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            stdin=subprocess.DEVNULL,
        )
        said = done.stdout + done.stderr
        return (
            _read(report, said) if report.exists() else Outcome(passed=0, failed={"all": said}, skipped={}, said=said)
        )


def _chosen(folder: Path, patterns: Sequence[str]) -> Iterator[Path]:
    if patterns:
        return chain.from_iterable(folder.glob(pattern) for pattern in patterns)
    return (path for path in folder.glob("test_*.py") if not path.name.startswith(tuple(LEFT_OUT)))


@contextmanager
def _tests(version: str) -> Iterator[Path]:
    """A copy of the tests with the hotels beside them, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as place:
        folder = Path(place) / "search"
        shutil.copytree(third_parties.search_tests(version) / "tests", folder)
        documents = {"hotel_small.json": hotels.small(), "hotel_large.json": hotels.large()}
        for name, value in documents.items():
            (folder / name).write_text(json.dumps({"value": value}), encoding="utf-8")
        (folder / "hotel_schema.json").write_text(json.dumps(hotels.schema()), encoding="utf-8")
        yield folder


def _read(report: Path, said: str) -> Outcome:
    passed, failed, skipped = 0, dict[str, str](), dict[str, str]()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname', '').split('.')[0]}::{case.get('name')}"
        problem = next((found for kind in ("failure", "error") if (found := case.find(kind)) is not None), None)
        skip = case.find("skipped")
        if problem is not None:
            failed[name] = problem.get("message") or ""
        elif skip is not None:
            skipped[name] = skip.get("message") or ""
        else:
            passed += 1
    return Outcome(passed=passed, failed=failed, skipped=skipped, said=said)
