"""Microsoft's own clients over sources whose index Azure's ingestion makes: five versions for Python, two for
JavaScript, unmodified, each in an environment of its own."""

import json
import os
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, get_args
from urllib.request import Request, urlopen

import pytest

from retrieval.local import corpora
from retrieval.local.ingested import as_ingested
from retrieval.model.definitions import IngestedKind
from tests.environments import needs_node
from tests.running import served_over_tls
from tests.third_parties import (
    KnowledgeClient,
    KnowledgeClientForNode,
    knowledge_client,
    knowledge_client_for_node,
)

SCRIPT: Final = Path(__file__).with_name("knowledge_kinds.py")
FOR_NODE: Final = Path(__file__).with_name("knowledge_kinds.mjs")
BLOBS: Final = {"azureBlob"}
LAKES: Final = {*BLOBS, "indexedOneLake"}
ALL: Final = {*LAKES, "indexedSharePoint", "indexedSql", "file"}
HAVE: Final[Mapping[str, set[str]]] = {
    "11.7.0b1": BLOBS,
    "11.7.0b2": {*LAKES, "indexedSharePoint"},
    "12.0.0": LAKES,
    "12.1.0b1": ALL,
    "12.1.0b2": ALL,
    "12.3.0-beta.1": {*LAKES, "indexedSharePoint"},
    "13.0.0": LAKES,
}
"""The kinds of each client's version."""

VERSIONS: Final = get_args(KnowledgeClient)
NEWEST: Final = VERSIONS[-1]
SPEAKING: Final = ("2026-10-01", "2026-11-01-preview")
PREFIX: Final = {
    "azureBlob": "AzureBlob",
    "indexedSharePoint": "IndexedSharePoint",
    "indexedOneLake": "IndexedOneLake",
    "indexedSql": "IndexedSql",
    "file": "File",
}
ELSEWHERE: Final = {
    "name": "elsewhere",
    "kind": "indexedSql",
    "indexedSqlParameters": {
        "connectionString": "ResourceId=/a;",
        "tableOrView": "t",
        "createdResources": {"index": "indexedsql-index"},
    },
}
"""A source of a kind that the older clients do not have."""

WAYS: Final = [*((version, "") for version in VERSIONS), *((NEWEST, speaking) for speaking in SPEAKING)]
OFTEN: Final = {(VERSIONS[0], ""), (NEWEST, ""), (NEWEST, SPEAKING[0])}
UNTYPED: Final = {"12.0.0"}
"""Clients that have no classes for the records of a search."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The local service, with an index of each kind as Azure would have made it."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "phoenix.md").write_text("# Phoenix\n\nThe street grid of Phoenix is sharply visible from space.\n")
    with served_over_tls(environ={"AGENTS_STORE": "memory"}) as (address, certificate):
        send = Sender(address, str(certificate))
        for kind in get_args(IngestedKind):
            corpus = as_ingested(corpora.load(kind.lower(), folder), kind, language="en")
            send("PUT", f"indexes/{corpus.index}", corpus.definition)
            send("POST", f"indexes/{corpus.index}/docs/index", {"value": corpus.documents})
        send("PUT", "knowledgesources/elsewhere", ELSEWHERE)
        yield address, str(certificate)


class Sender:
    """What Azure's ingestion would have done, at the search service."""

    def __init__(self, address: str, certificate: str) -> None:
        self._address = address
        self._context = ssl.create_default_context(cafile=certificate)

    def __call__(self, method: str, path: str, body: object) -> None:
        headers = {"api-key": "local-admin-key", "Content-Type": "application/json"}
        url = f"{self._address}/{path}?api-version=2026-10-01"
        request = Request(url, json.dumps(body).encode(), headers, method=method)
        with urlopen(request, context=self._context, timeout=30) as response:
            assert response.status in {200, 201}


@pytest.mark.parametrize(
    ("version", "speaking"),
    [pytest.param(*way, marks=[] if way in OFTEN else [pytest.mark.slow]) for way in WAYS],
)
def test_a_client_defines_asks_and_deletes_each_kind_that_it_has(
    version: KnowledgeClient, speaking: str, service: tuple[str, str]
) -> None:
    environ = {**os.environ, "SPEAKING": speaking}
    command = [str(knowledge_client(version)), str(SCRIPT), *service]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    for way in ("sync", "async"):
        assert set(seen[way]) == HAVE[version]
        for kind, saw in seen[way].items():
            name, prefix = kind.lower(), PREFIX[kind]
            answer = saw.pop("answer")
            assert (saw.pop("status", "active"), saw.pop("documents", 1)) == ("active", 1)
            assert saw == {
                "source": f"{prefix}KnowledgeSource",
                "index": f"{name}-index",
                "got": [f"{prefix}KnowledgeSource", "second"],
                "listed": sorted([name, "elsewhere"]),
                "left": False,
            }
            noun = "KnowledgeAgent" if version == VERSIONS[0] else "KnowledgeBase"
            assert answer["reference"] == f"{noun}{prefix}Reference"
            if version not in UNTYPED:
                assert answer["record"] == f"{noun}{prefix}ActivityRecord"
            assert (answer["count"], answer["type"]) == (1, kind)
            assert answer["arguments"].startswith("Why is the street grid")
            assert answer["place"].endswith("phoenix.md")
            assert answer["data"] is (version != VERSIONS[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "speaking"),
    [*((version, "") for version in get_args(KnowledgeClientForNode)), *(("13.0.0", one) for one in SPEAKING)],
)
def test_a_client_for_javascript_does_the_same(
    version: KnowledgeClientForNode, speaking: str, service: tuple[str, str]
) -> None:
    needs_node()
    address, certificate = service
    environ = {**os.environ, "NODE_EXTRA_CA_CERTS": certificate}
    kinds = sorted(HAVE[version])
    command = ["node", str(FOR_NODE), str(knowledge_client_for_node(version)), address, json.dumps(kinds), speaking]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert sorted(seen) == kinds
    for kind, saw in seen.items():
        assert saw["answer"].pop("place").endswith("phoenix.md")
        assert saw == {
            "got": [kind, "second"],
            "listed": True,
            "status": "active",
            "answer": {"arguments": version != "13.0.0", "type": kind},
            "left": False,
        }
