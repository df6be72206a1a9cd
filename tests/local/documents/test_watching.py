"""A folder that changes, and its index that follows: a scan is a call, so nothing waits here."""

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from time import process_time
from typing import Any
from urllib.request import Request, urlopen

from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient

from retrieval.local.documents.azure_index import AzureIndex
from retrieval.local.documents.loading import load, watch_of
from retrieval.local.documents.reading import read
from retrieval.local.documents.watching import Scans, Watch
from retrieval.local.search_service import SearchService
from retrieval.local.transport import ENDPOINT, connect
from retrieval.settings.settings import LOCAL_ADMIN_KEY
from tests.environments import ROOT
from tests.running import searching, until_ready


def index_of(service: SearchService) -> AzureIndex:
    return AzureIndex(client=SearchClient(index_name="docs", **connect(service)), endpoint=ENDPOINT, name="docs")


def loaded(folder: Path, service: SearchService) -> Watch:
    """The folder, loaded and watched."""
    (folder / "fine.md").write_text("A fine heron.")
    watch = watch_of(index_of(service), folder)
    load(index_of(service), read(folder, name="docs"))
    return watch


def texts(service: SearchService, **search: Any) -> dict[str, str]:
    found = SearchClient(index_name="docs", **connect(service)).search("*", top=100, **search)
    return {one["path"]: one["text"] for one in found}


def test_the_second_scan_after_a_change_has_it_and_new_and_deleted_files_too(tmp_path: Path) -> None:
    service = SearchService()
    (tmp_path / "sub").mkdir()
    (tmp_path / "gone.md").write_text("Soon gone.")
    watch = loaded(tmp_path, service)
    assert watch.scan() == []
    (tmp_path / "fine.md").write_text("A heron in flight.")
    (tmp_path / "sub" / "new.md").write_text("---\ntags: [a]\n---\nNew.")
    (tmp_path / "gone.md").unlink()
    assert watch.scan() == []
    assert texts(service) == {"fine.md": "A fine heron.", "gone.md": "Soon gone."}
    assert watch.scan() == ["gone.md: deleted", "fine.md: 1 chunk", "sub/new.md: 1 chunk"]
    assert texts(service) == {"fine.md": "A heron in flight.", "sub/new.md": "New."}
    assert watch.scan() == []
    assert load(index_of(service), read(tmp_path, name="docs")).unchanged == 2


def test_a_file_that_is_being_written_is_taken_when_two_scans_agree(tmp_path: Path) -> None:
    service = SearchService()
    watch = loaded(tmp_path, service)
    for number in range(3):
        (tmp_path / "long.md").write_text("word " * (number + 1))
        assert watch.scan() == []
    assert watch.scan() == ["long.md: 1 chunk"]
    assert texts(service)["long.md"] == "word word word"


def test_a_file_that_cannot_be_read_keeps_its_chunks_and_an_emptied_one_loses_them(tmp_path: Path) -> None:
    service = SearchService()
    (tmp_path / "a.json").write_text('{"ship": "Anna"}')
    (tmp_path / "b.json").write_text('{"ship": "Bertha"}')
    watch = loaded(tmp_path, service)
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text("")
    watch.scan()
    broken, emptied = watch.scan()
    assert broken.startswith("a.json: it is no JSON") and "is kept" in broken
    assert emptied == "b.json: empty"
    assert texts(service) == {"a.json": "ship: Anna", "fine.md": "A fine heron."}
    (tmp_path / "a.json").write_text('{"ship": "Clara"}')
    watch.scan()
    watch.scan()
    assert texts(service)["a.json"] == "ship: Clara"


def test_a_file_with_fewer_chunks_and_an_archive_lose_what_they_had(tmp_path: Path) -> None:
    service = SearchService()
    (tmp_path / "it's.csv").write_text("ship\nAnna\nBertha\n")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("one.md", "One.")
        archive.writestr("two.md", "Two.")
    (tmp_path / "a.zip0.md").write_text("Another.")
    watch = loaded(tmp_path, service)
    (tmp_path / "it's.csv").write_text("ship\nAnna\n")
    (tmp_path / "a.zip").unlink()
    watch.scan()
    assert sorted(watch.scan()) == ["a.zip: deleted", "it's.csv: 1 chunk"]
    assert texts(service) == {"a.zip0.md": "Another.", "fine.md": "A fine heron.", "it's.csv": "ship: Anna"}


def test_a_folder_that_cannot_be_listed_for_a_while_loses_nothing(tmp_path: Path) -> None:
    service, folder = SearchService(), tmp_path / "docs"
    folder.mkdir()
    watch = loaded(folder, service)
    folder.rename(tmp_path / "away")
    assert [watch.scan(), watch.scan(), watch.scan()] == [[], [], []]
    (tmp_path / "away").rename(folder)
    assert [watch.scan(), watch.scan()] == [[], []]
    assert texts(service) == {"fine.md": "A fine heron."}


def test_members_that_the_index_has_not_are_left_out_of_what_is_sent(tmp_path: Path) -> None:
    service = SearchService()
    watch = loaded(tmp_path, service)
    (tmp_path / "a.ndjson").write_text(json.dumps({"ship": "Anna", "berth": 4}))
    watch.scan()
    assert watch.scan() == ["a.ndjson: 1 chunk"]
    assert texts(service)["a.ndjson"] == "ship: Anna\nberth: 4"


def test_a_scan_of_ten_thousand_unchanged_files_costs_little(tmp_path: Path) -> None:
    for folder in range(100):
        (tmp_path / str(folder)).mkdir()
        for number in range(100):
            os.mknod(tmp_path / str(folder) / f"{number}.md")
    scans = Scans(tmp_path)
    before = process_time()
    due = scans.scan()
    assert not due.changed and not due.gone
    assert process_time() - before < 0.3


def test_a_service_follows_the_folder_that_it_loaded(tmp_path: Path) -> None:
    """The lines of the service are what is waited for."""
    (tmp_path / "fine.md").write_text("A fine heron.")
    command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0", "--load", f"docs={tmp_path}", "--watch"]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = until_ready(process)[-1].removeprefix("ready ")
        (tmp_path / "new.md").write_text("A new heron.")
        said = next(line for line in process.stdout if line.startswith("docs: "))
        (tmp_path / "broken.json").write_text("{")
        kept = next(line for line in process.stdout if line.startswith("docs: "))
        with urlopen(f"{address}/ready") as answer:
            warnings = json.load(answer)["warnings"]
        request = Request(f"{address}/indexes/docs/docs?search=new&api-version=2026-04-01")
        request.add_header("api-key", LOCAL_ADMIN_KEY)
        with urlopen(request) as answer:
            found = [one["path"] for one in json.load(answer)["value"]]
        process.send_signal(signal.SIGINT)
    assert (said, found, process.returncode) == ("docs: new.md: 1 chunk\n", ["new.md"], 0)
    assert kept.startswith("docs: broken.json: it is no JSON") and "what was read of it before is kept" in kept
    assert [one.partition(": it is")[0] for one in warnings] == ["docs: broken.json"]


def test_the_command_index_follows_a_folder_until_it_is_ended(tmp_path: Path) -> None:
    """The lines of the command are what is waited for."""
    (tmp_path / "fine.md").write_text("A fine heron.")
    (tmp_path / "gone.md").write_text("Soon gone.")
    with searching() as address:
        command = [sys.executable, "-m", "retrieval.local", "index", str(tmp_path), "--to", address, "--name", "docs"]
        environ = {**os.environ, "AZURE_SEARCH_API_KEY": LOCAL_ADMIN_KEY}
        with subprocess.Popen(
            [*command, "--watch"], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert any(line.startswith("agent: ") for line in process.stdout)
            (tmp_path / "fine.md").write_text("A heron in flight.")
            (tmp_path / "gone.md").unlink()
            told = {next(process.stdout), next(process.stdout)}
            credential = AzureKeyCredential(LOCAL_ADMIN_KEY)
            with SearchClient(address, "docs", credential) as client:
                found = {one["path"]: one["text"] for one in client.search("*")}
            process.send_signal(signal.SIGINT)
    assert told == {"docs: gone.md: deleted\n", "docs: fine.md: 1 chunk\n"}
    assert (found, process.returncode) == ({"fine.md": "A heron in flight."}, 0)
