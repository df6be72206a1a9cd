"""`index`: the folder as an index of Azure AI Search, in process."""

import json
import subprocess
import sys
from pathlib import Path
from time import time
from typing import Any

import pytest
from azure.core.credentials import AccessToken, AzureKeyCredential
from azure.core.rest import HttpRequest
from azure.search.documents import SearchClient
from azure.search.documents.models import VectorizableTextQuery

from retrieval.errors import BackendError, BackendRefused, NotConfigured
from retrieval.local.__main__ import main
from retrieval.local.documents.azure_index import AzureIndex, Changes
from retrieval.local.documents.embeddings import MOST_BYTES, Embeddings, Vectorizer, client
from retrieval.local.documents.loading import load, told
from retrieval.local.documents.reading import read
from retrieval.local.faults import Faults, throttled
from retrieval.local.search_service import SearchService
from retrieval.local.search_service.models.hashed_embeddings import embed
from retrieval.local.transport import ENDPOINT, InProcessTransport, connect
from retrieval.local.wire import WireRequest, WireResponse, WireService
from retrieval.model.json_value import JsonValue
from tests.environments import ROOT
from tests.local.documents.folder import CHUNKS, mixed


class SignedIn:
    """Whoever is signed in, as `DefaultAzureCredential` would find. `scopes` are those of the last token."""

    scopes: tuple[str, ...] = ()

    def get_token(self, *scopes: str, **kwargs: Any) -> AccessToken:
        self.scopes = scopes
        return AccessToken("token", int(time()) + 3_600)


def index_of(service: WireService) -> AzureIndex:
    return AzureIndex(
        client=SearchClient(index_name="handbook", **connect(service)), endpoint=ENDPOINT, name="handbook"
    )


def load_into(service: WireService, folder: Path, *, language: str = "en", groups: str | None = None) -> Changes:
    return load(index_of(service), read(folder, name="handbook"), language=language, groups=groups)


def keys(service: WireService, **search: Any) -> list[str]:
    client = SearchClient(index_name="handbook", **connect(service))
    return sorted(one["id"] for one in client.search(search.pop("text", "*"), top=1000, **search))


def test_whoever_is_signed_in_loads_it_with_its_semantic_configuration(tmp_path: Path) -> None:
    service = SearchService(admin_keys=["local-dev-key"], accept_tokens=True)
    client = SearchClient(ENDPOINT, "handbook", SignedIn(), transport=InProcessTransport(service))
    index = AzureIndex(client=client, endpoint=ENDPOINT, name="handbook")
    assert load(index, read(mixed(tmp_path), name="handbook")).uploaded == CHUNKS
    found = keys(service, text="days of holiday", query_type="semantic", filter="source eq 'hr/leave.md'")
    assert found and all(key.startswith("hr-leave-md-") for key in found)


def test_where_nobody_is_signed_in_the_command_says_so_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "leave.md").write_text("Everybody has thirty days of holiday a year.")
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.4")
    command = [
        sys.executable,
        "-m",
        "retrieval.local",
        "index",
        str(tmp_path),
        "--to",
        "https://127.0.0.1:9",
        "--name",
        "hb",
    ]
    environ = {"PATH": str(tmp_path), "HOME": str(tmp_path), "AZURE_TOKEN_CREDENTIALS": "dev"}
    ended = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    warning, *error = ended.stderr.splitlines(keepends=True)
    assert warning.endswith(" hb: 1 thing left out: cut.pdf: it cannot be read (PdfStreamError)\n")
    assert (ended.returncode, "".join(error)) == (
        1,
        "Azure AI Search was not asked, since there is no token: AzureCliCredential: Azure CLI not found on path. "
        "Sign in with az login, or set AZURE_SEARCH_API_KEY.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "setting"),
    [
        (("--to", "http://127.0.0.1:9"), "AZURE_SEARCH_API_KEY"),
        (("--to", "https://127.0.0.1:9", "--vectorizer", "http://127.0.0.1:9"), "AZURE_OPENAI_API_KEY"),
    ],
)
def test_over_plain_http_the_setting_of_the_key_is_named(
    arguments: tuple[str, ...],
    setting: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("AZURE_SEARCH_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "a.md").write_text("words")
    assert main(["index", str(tmp_path), *arguments, "--name", "hb"]) == 1
    said = capsys.readouterr().err
    assert f"Set {setting} to a key" in said and arguments[-1] in said


def test_the_token_is_for_the_cloud_that_is_set(tmp_path: Path) -> None:
    """`az` of a machine that is signed in, as azure-identity calls it, writes down what it is asked for."""
    asked, az, docs = tmp_path / "asked", tmp_path / "az", tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("words")
    token = json.dumps({"accessToken": "token", "expires_on": int(time()) + 3_600, "tokenType": "Bearer"})
    az.write_text(f"#!/bin/sh\necho \"$@\" >> '{asked}'\necho '{token}'\n")
    az.chmod(0o755)
    command = [sys.executable, "-m", "retrieval.local", "index", str(docs), "--to", "https://127.0.0.1:9"]
    environ = {
        "PATH": str(tmp_path),
        "HOME": str(tmp_path),
        "AZURE_TOKEN_CREDENTIALS": "dev",
        "AZURE_SEARCH_AUDIENCE": "https://search.azure.us/",
    }
    ended = subprocess.run([*command, "--name", "hb"], cwd=ROOT, env=environ, capture_output=True, text=True)
    assert (ended.returncode, "could not be reached" in ended.stderr) == (1, True)
    assert "--resource https://search.azure.us\n" in asked.read_text()


@pytest.mark.parametrize("audience", ["search.azure.us", "http://search.azure.us"])
def test_an_audience_that_is_no_https_address_is_refused(
    audience: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AZURE_SEARCH_AUDIENCE", audience)
    assert main(["index", str(mixed(tmp_path)), "--to", "https://127.0.0.1:9", "--name", "hb"]) == 1
    assert "AZURE_SEARCH_AUDIENCE must be" in capsys.readouterr().err


def test_texts_are_embedded_with_a_token_for_the_cloud_that_is_set() -> None:
    async def openai(request: WireRequest) -> WireResponse:
        return WireResponse(status=200, headers=(), body=b"{}")

    somebody = SignedIn()
    endpoint, audience = "https://o.openai.azure.us", "https://cognitiveservices.azure.us/"
    client(endpoint, somebody, audience=audience, transport=InProcessTransport(openai)).send_request(
        HttpRequest("POST", endpoint)
    )
    assert somebody.scopes == ("https://cognitiveservices.azure.us/.default",)


@pytest.mark.slow
def test_a_run_that_was_ended_is_continued(tmp_path: Path) -> None:
    (tmp_path / "many.csv").write_text("name\n" + "".join(f"row {n}\n" for n in range(1_200)))
    service = SearchService()
    broken = Faults(
        service,
        [None, *[throttled(retry_after=0)] * 9],
        when=lambda request: "/docs/search.index" in request.target,
    )
    with pytest.raises(BackendRefused, match="429"):
        load_into(broken, tmp_path)
    assert len(keys(service)) == 500
    changes = load_into(service, tmp_path)
    assert (changes.uploaded, changes.unchanged, changes.deleted) == (700, 500, 0)
    assert load_into(service, tmp_path) == Changes(uploaded=0, unchanged=1_200, deleted=0, kept=0)


def test_documents_of_a_file_that_cannot_be_read_this_time_are_kept_and_those_of_an_emptied_file_are_not(
    tmp_path: Path,
) -> None:
    for name in ("a.json", "b.json", "c.json"):
        (tmp_path / name).write_text('{"text": "words"}')
    service = SearchService()
    load_into(service, tmp_path)
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text("")
    assert load_into(service, tmp_path) == Changes(uploaded=0, unchanged=1, deleted=1, kept=1)


def test_the_field_of_groups_has_the_first_folder_and_can_be_filtered(tmp_path: Path) -> None:
    service = SearchService()
    load_into(service, mixed(tmp_path), groups="groups")
    found = keys(service, filter="groups/any(g: g eq 'hr')")
    assert len(found) == 3 and all(key.startswith("hr-leave-md-") for key in found)
    with pytest.raises(NotConfigured, match="cannot be a field"):
        load_into(service, tmp_path / "docs", groups="source")


def test_the_analyzer_follows_the_language(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Die Häuser der alten Städte.")
    service = SearchService()
    load_into(service, tmp_path, language="de")
    assert keys(service, text="Haus alte Stadt", search_mode="all")


def test_a_vectorizer_makes_hybrid_queries_possible_and_only_changes_are_embedded(tmp_path: Path) -> None:
    asked: list[int] = []

    async def openai(request: WireRequest) -> WireResponse:
        texts = json.loads(request.body)["input"]
        asked.append(len(texts))
        made = [{"index": n, "embedding": embed(text, 1_536).tolist()} for n, text in enumerate(texts)]
        return WireResponse(
            status=200, headers=(("content-type", "application/json"),), body=json.dumps({"data": made}).encode()
        )

    vectorizer = Vectorizer(endpoint="https://o.openai.azure.com", deployment="embed", model="text-embedding-3-small")
    made = client(vectorizer.endpoint, AzureKeyCredential("key"), transport=InProcessTransport(openai))
    embeddings, service, folder = Embeddings(client=made, vectorizer=vectorizer), SearchService(), mixed(tmp_path)
    first = load(index_of(service), read(folder, name="handbook"), embeddings=embeddings)
    (folder / "note-1.txt").write_text("Bananas.")
    second = load(index_of(service), read(folder, name="handbook"), embeddings=embeddings)
    query = VectorizableTextQuery(text="Bananas", fields="text_vector", k_nearest_neighbors=1)
    found = keys(service, text=None, vector_queries=[query])
    assert (first.uploaded, second.uploaded, second.unchanged, asked) == (CHUNKS, 1, CHUNKS - 1, [CHUNKS, 1])
    assert len(found) == 1 and found[0].startswith("note-1-txt-")
    with pytest.raises(BackendRefused, match="'text_vector' cannot be"):
        load(index_of(service), read(folder, name="handbook"))


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, {"data": [{"index": 0, "embedding": None}]}, "cannot be read"),
        (200, {"data": [{"index": 0, "embedding": [0.5]}]}, "cannot be read"),
        (200, {"data": [{"index": 0, "embedding": [10**400] * 1_536}]}, "cannot be read"),
        (200, {"data": []}, "cannot be read"),
        (200, [], "cannot be read"),
        (401, {"error": {"message": "the key k-3-y is unknown"}}, "the key <redacted> is unknown"),
        (200, {"data": "a" * MOST_BYTES}, "more than 16,777,216 bytes"),
    ],
)
def test_a_deployment_that_gives_no_vectors_is_one_sentence_without_its_key(
    status: int, body: JsonValue, said: str, tmp_path: Path
) -> None:
    async def openai(request: WireRequest) -> WireResponse:
        return WireResponse(
            status=status, headers=(("content-type", "application/json"),), body=json.dumps(body).encode()
        )

    (tmp_path / "a.md").write_text("words")
    vectorizer = Vectorizer(endpoint="https://o.openai.azure.com", deployment="embed", model="text-embedding-3-small")
    made = client(vectorizer.endpoint, AzureKeyCredential("k-3-y"), transport=InProcessTransport(openai))
    embeddings = Embeddings(client=made, vectorizer=vectorizer, key="k-3-y")
    with pytest.raises(BackendError, match=said) as refusal:
        load(index_of(SearchService()), read(tmp_path, name="handbook"), embeddings=embeddings)
    assert "k-3-y" not in str(refusal.value)


def test_an_index_without_the_fields_is_loaded_without_them_and_says_so_until_it_is_made_anew(tmp_path: Path) -> None:
    service = SearchService()
    (tmp_path / "a.md").write_text("words")
    load_into(service, tmp_path)
    (tmp_path / "b.md").write_text("---\ntags: [north]\n---\nwords")
    first = load_into(service, tmp_path)
    assert (first.uploaded, first.lacking) == (1, ("tags",))
    assert "has not the fields tags" in told(first, ENDPOINT, "handbook")[0] and "--recreate" in told(first, "", "")[0]
    assert load_into(service, tmp_path).unchanged == 2
    again = load(index_of(service), read(tmp_path, name="handbook"), recreate=True)
    assert (again.uploaded, again.lacking) == (2, ())
    assert len(keys(service, filter="tags/any(t: t eq 'north')")) == 1
    (tmp_path / "b.md").unlink()
    assert load_into(service, tmp_path).lacking == ()


def test_an_index_of_another_program_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("words")
    service = SearchService()
    fields: list[JsonValue] = [{"name": "id", "type": "Edm.String", "key": True}]
    index_of(service)._call("PUT", "", {"name": "handbook", "fields": fields})
    with pytest.raises(NotConfigured, match="was not made by this command"):
        load_into(service, tmp_path)


def test_a_key_that_azure_does_not_take_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"_id": "a/1", "text": "x"}')
    with pytest.raises(NotConfigured, match=r"a\.jsonl, line 1: Azure takes no key 'a/1'"):
        load_into(SearchService(), tmp_path)
