"""The page's service for tests: the sample, a loaded folder, an empty base, a hostile one; and what drives it."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from tests.environments import ROOT, needs_browser
from tests.playground.looking import MARKUP
from tests.running import served
from tests.third_parties import browser

ADMIN: Final = {"api-key": "local-admin-key"}
FIELDS: Final = [
    {"name": "id", "type": "Edm.String", "key": True},
    {"name": "title", "type": "Edm.String", "searchable": True},
    {"name": "content", "type": "Edm.String", "searchable": True},
]
PRIORITIZED: Final = {
    "titleField": {"fieldName": "title"},
    "prioritizedContentFields": [{"fieldName": "content"}],
}
SEMANTIC: Final = {
    "defaultConfiguration": "usual",
    "configurations": [{"name": "usual", "prioritizedFields": PRIORITIZED}],
}
HOSTILE: Final = [
    {"@search.action": "upload", "id": str(n), "title": f"lamps {MARKUP}", "content": f"lamps {MARKUP} shine {n}"}
    for n in range(5)
]

ARABIC: Final = "maktaba"
OPENING: Final = {
    "@search.action": "upload",
    "id": "1",
    "title": "ساعات العمل",
    "content": "المكتبة مفتوحة كل يوم من التاسعة صباحا إلى الخامسة مساء.",
}

LOADED: Final = "handbook"
FOLDER: Final = ROOT / "docs" / "operating"

TWO_SOURCES: Final = "two-sources"
SOURCES: Final = ("hostile-source", f"{ARABIC}-source")

QUESTIONS: Final = {
    "earth-at-night": ("Why is the street grid of Phoenix so sharply visible from space?", "And which fires glow?"),
    LOADED: ("How do I rotate an API key?", "And which setting holds it?"),
}
"""Of each corpus a question, and what is asked after it."""

Seen = dict[str, Any]


@contextmanager
def page(environ: Mapping[str, str] | None = None, arguments: Sequence[str] = ()) -> Iterator[str]:
    """The address of the local host, with the folder loaded beside the sample."""
    needs_browser()
    more = ("--load", f"{LOADED}={FOLDER}", *arguments)
    with served(Path(sys.executable), *more, environ={"AGENTS_STORE": "memory", **(environ or {})}) as address:
        yield address


def furnish(address: str) -> None:
    """An empty base, one whose documents are hostile, one in Arabic, and one with the sources of two others."""
    with httpx.Client(base_url=address, headers=ADMIN, timeout=30) as client:
        documents = {"nothing": [], "hostile": HOSTILE, ARABIC: [OPENING]}
        for name in documents:
            index = {"name": name, "fields": FIELDS, "semantic": SEMANTIC}
            assert client.put(f"/indexes('{name}')?api-version=2026-04-01", json=index).status_code == 201
            agent = {"name": name, "models": [], "targetIndexes": [{"indexName": name}]}
            assert client.put(f"/agents('{name}')?api-version=2025-05-01-preview", json=agent).status_code == 201
            path = f"/indexes('{name}')/docs/search.index?api-version=2026-04-01"
            if documents[name]:
                assert client.post(path, json={"value": documents[name]}).status_code == 200
        for name in SOURCES:
            parameters = {"searchIndexName": name.removesuffix("-source")}
            source = {"name": name, "kind": "searchIndex", "searchIndexParameters": parameters}
            assert client.put(f"/knowledgesources('{name}')?api-version=2026-10-01", json=source).status_code == 201
        base = {"name": TWO_SOURCES, "knowledgeSources": [{"name": name} for name in SOURCES]}
        path = f"/knowledgebases('{TWO_SOURCES}')?api-version=2026-10-01"
        assert client.put(path, json=base).status_code == 201


def drive(scenario: str, address: str, folder: Path, **words: object) -> Seen:
    """What a scenario saw. At the end of each, nothing came from elsewhere and nothing ran, nothing is wider than the
    page, every figure says what it is, and axe finds nothing.
    """
    command = [str(browser()), "-m", "tests.playground.drive", str(needs_browser()), scenario, address, str(folder)]
    done = subprocess.run(
        [*command, json.dumps(words)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    found: Seen = json.loads(done.stdout)
    for seen in found.values() if "said" not in found else [found]:
        wrong = {name: seen[name] for name in ("elsewhere", "ran", "wider", "loose", "faults")}
        assert not any(wrong.values()), wrong
        refused = [one for one in seen["said"] if not one.startswith("Failed to load resource")]
        assert refused == []
    return found
