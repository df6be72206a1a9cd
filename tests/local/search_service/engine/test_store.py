"""What a data folder holds outlives a restart, and a kill in the middle of an upload."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError, ResourceModifiedError, ServiceRequestError, ServiceResponseError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchAlias, SynonymMap

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.store import FILE, CannotStore, Store
from retrieval.local.transport import connect
from tests.environments import ROOT
from tests.local.search_service.conftest import BOATS, FLEET

KEY = AzureKeyCredential("local-admin-key")


@contextmanager
def opened(folder: Path) -> Iterator[SearchService]:
    """A service over the folder, in this process, closed as the command closes it."""
    store = Store(folder)
    try:
        yield SearchService(catalog=Catalog(store))
    finally:
        store.close()


@contextmanager
def process(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command over the folder and its address; killed at the end, if it still runs."""
    command = [sys.executable, "-m", "retrieval.local", "search", "--port", "0", "--data", str(folder), *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            ready = next(line for line in running.stdout if line.startswith("ready "))
            yield running, ready.removeprefix("ready ").strip()
        finally:
            running.kill()


def boats_of(service: SearchService) -> SearchClient:
    return SearchClient(index_name="boats", **connect(service), retry_total=0)


def found(client: SearchClient, text: str, **options: Any) -> list[str]:
    return [one["id"] for one in client.search(text, **options)]


def test_definitions_and_documents_are_there_again(tmp_path: Path) -> None:
    with opened(tmp_path) as service:
        indexes = SearchIndexClient(**connect(service))
        etag = indexes.create_index(BOATS).e_tag
        boats_of(service).upload_documents(FLEET)
        boats_of(service).merge_documents([{"id": "1", "crew": 9}])
        boats_of(service).delete_documents([{"id": "4"}])
        indexes.create_synonym_map(SynonymMap(name="words", synonyms=["ketch, yawl"]))
        indexes.create_alias(SearchAlias(name="fleet", indexes=["boats"]))
        before = found(boats_of(service), "wooden steel lamp", query_type="semantic")
    with opened(tmp_path) as service:
        indexes = SearchIndexClient(**connect(service))
        assert indexes.get_index("boats").e_tag == etag
        assert [one.name for one in indexes.get_synonym_maps()] == ["words"]
        assert indexes.get_alias("fleet").indexes == ["boats"]
        assert boats_of(service).get_document("1")["crew"] == 9
        assert boats_of(service).get_document_count() == 3
        assert found(boats_of(service), "wooden steel lamp", query_type="semantic") == before


def test_an_etag_is_not_given_out_again_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as service:
        indexes = SearchIndexClient(**connect(service))
        old = indexes.create_synonym_map(SynonymMap(name="words", synonyms=["a, b"]))
        indexes.delete_synonym_map("words")
    with opened(tmp_path) as service:
        indexes = SearchIndexClient(**connect(service))
        indexes.create_synonym_map(SynonymMap(name="words", synonyms=["c, d"]))
        with pytest.raises(ResourceModifiedError):
            indexes.delete_synonym_map(old, match_condition=MatchConditions.IfNotModified)


def test_a_deleted_index_stays_deleted_and_takes_its_documents_along(tmp_path: Path) -> None:
    with opened(tmp_path) as service:
        SearchIndexClient(**connect(service)).create_index(BOATS)
        boats_of(service).upload_documents(FLEET)
        SearchIndexClient(**connect(service)).delete_index("boats")
    with opened(tmp_path) as service:
        indexes = SearchIndexClient(**connect(service))
        assert list(indexes.list_index_names()) == []
        indexes.create_index(BOATS)
        assert boats_of(service).get_document_count() == 0


def test_a_failed_item_of_a_batch_is_not_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as service:
        SearchIndexClient(**connect(service)).create_index(BOATS)
        boats_of(service).merge_or_upload_documents([{"id": "1", "crew": 1}])
        boats_of(service).merge_documents([{"id": "none", "crew": 1}, {"id": "1", "crew": 2}])
    with opened(tmp_path) as service:
        assert boats_of(service).get_document_count() == 1
        assert boats_of(service).get_document("1")["crew"] == 2


def test_a_change_that_cannot_be_written_is_503_and_leaves_everything_as_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path)
    service = SearchService(catalog=Catalog(store))
    SearchIndexClient(**connect(service)).create_index(BOATS)
    boats_of(service).upload_documents(FLEET)
    store.close()
    changes: Sequence[Any] = [
        lambda: boats_of(service).upload_documents([{"id": "1", "crew": 99}, {"id": "new"}]),
        lambda: boats_of(service).delete_documents([{"id": "2"}]),
        lambda: SearchIndexClient(**connect(service), retry_total=0).delete_index("boats"),
        lambda: SearchIndexClient(**connect(service), retry_total=0).create_synonym_map(
            SynonymMap(name="words", synonyms=["a, b"])
        ),
    ]
    for change in changes:
        with pytest.raises(HttpResponseError) as raised:
            change()
        assert raised.value.status_code == 503
    assert boats_of(service).get_document("1")["crew"] == 4
    assert found(boats_of(service), "trawler") == ["2"]
    assert boats_of(service).get_document_count() == 4
    assert SearchIndexClient(**connect(service)).get_synonym_maps() == []


def test_one_folder_has_one_service(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(CannotStore, match="another process uses it"):
        Store(tmp_path)


def test_a_file_that_is_no_store_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be taken for one" * 40)
    with pytest.raises(CannotStore, match="cannot be used"):
        Store(tmp_path)


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStore, match="cannot be used"):
        Store(tmp_path / "file")


def test_a_restarted_process_has_what_the_first_was_told(tmp_path: Path) -> None:
    with process(tmp_path) as (running, address):
        SearchIndexClient(address, KEY).create_index(BOATS)
        SearchClient(address, "boats", KEY).upload_documents(FLEET)
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=20) == 0
    with process(tmp_path) as (_, address):
        assert found(SearchClient(address, "boats", KEY), "trawler") == ["2"]


def test_after_a_kill_every_answered_batch_is_there_and_the_others_are_whole_or_not_at_all(tmp_path: Path) -> None:
    """Batches of fifty are uploaded until the process is killed; which one that hits is left to chance."""
    answered: list[int] = []
    enough = threading.Event()
    with process(tmp_path) as (running, address):
        SearchIndexClient(address, KEY).create_index(BOATS)
        client = SearchClient(address, "boats", KEY, retry_total=0)

        def upload() -> None:
            try:
                for batch in range(100_000):
                    client.upload_documents([{"id": f"{batch}-{n}", "crew": batch} for n in range(50)])
                    answered.append(batch)
                    if len(answered) == 7:
                        enough.set()
            except (ServiceRequestError, ServiceResponseError, HttpResponseError):
                enough.set()

        uploading = threading.Thread(target=upload)
        uploading.start()
        assert enough.wait(timeout=60)
        os.kill(running.pid, signal.SIGKILL)
        uploading.join(timeout=60)
    with process(tmp_path) as (_, address):
        client = SearchClient(address, "boats", KEY)
        crews = client.search("*", facets=["crew,count:0"], include_total_count=True, top=0).get_facets()
        counts = {one["value"]: one["count"] for one in (crews or {})["crew"]}
    assert set(answered) <= set(counts)
    assert set(counts) - set(answered) <= {len(answered)}
    assert set(counts.values()) == {50}


def test_a_corpus_is_loaded_once_and_kept(tmp_path: Path) -> None:
    corpus = tmp_path / "birds.jsonl"
    corpus.write_text(json.dumps({"_id": "a b", "title": "Heron", "text": "It stands."}) + "\n", encoding="utf-8")
    loading = ("--load", f"birds={corpus}")
    with process(tmp_path / "data", *loading) as (_, address):
        birds = SearchClient(address, "birds", KEY)
        assert found(birds, "heron") == ["a b"]
        birds.upload_documents([{"id": "tern", "title": "Tern", "text": "It dives."}])
    with process(tmp_path / "data", *loading) as (_, address):
        assert found(SearchClient(address, "birds", KEY), "heron tern") == ["a b", "tern"]
