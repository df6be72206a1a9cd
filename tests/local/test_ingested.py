"""A folder as Azure would have ingested it (`make run LOAD= KIND=`): clients of such a source run on a laptop."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import pytest

from retrieval import compose
from retrieval.local.stand_in import of_settings
from retrieval.model.definitions import IngestedKind
from retrieval.settings.settings import read
from tests.conftest import Post

ROADS = "# Roads\n\nThe street grid of Phoenix is sharply visible from space.\n"
PLACES = {
    "azureBlob": ("blobUrl", "https://local.blob.core.windows.net/library/a%20city/roads.md"),
    "indexedSharePoint": ("docUrl", "https://local.sharepoint.com/sites/library/a%20city/roads.md"),
    "indexedOneLake": ("docUrl", "https://onelake.dfs.fabric.microsoft.com/local/library/a%20city/roads.md"),
    "indexedSql": ("docUrl", "https://local.database.windows.net/library/a%20city/roads.md"),
    "file": ("docName", "a city/roads.md"),
}
NEWEST = "2026-10-01"


@pytest.fixture
async def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[dict[str, str]]:
    (tmp_path / "a city").mkdir()
    (tmp_path / "a city" / "roads.md").write_text(ROADS)
    environ = {"LOCAL": "1", "LOCAL_CORPORA": json.dumps({"library": str(tmp_path)}), "AGENTS_STORE": "memory"}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    compose.service.cache_clear()
    yield environ
    await compose.end()


@pytest.mark.parametrize("kind", get_args(IngestedKind))
async def test_a_folder_is_a_source_of_the_kind_and_its_files_are_referred_to(
    post: Post, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, kind: IngestedKind
) -> None:
    monkeypatch.setenv("LOCAL_KIND", kind)
    query: dict[str, Any] = {"intents": [{"type": "semantic", "search": "street grid of Phoenix"}]}
    answer = await post(query, f"/knowledgebases('library')/retrieve?api-version={NEWEST}")
    assert answer.status == 200, answer.body
    (reference,) = answer.json["references"]
    member, place = PLACES[kind]
    assert (reference["type"], reference[member]) == (kind, place)
    assert f"{kind}Arguments" in answer.json["activity"][0]
    path = f"/knowledgesources('library')?api-version={NEWEST}"
    got = await post(b"", path, method="GET", key="local-admin-key")
    assert got.json[f"{kind}Parameters"]["createdResources"] == {"index": "library-index"}
    put = await post(got.json, path, method="PUT", key="local-admin-key")
    assert (put.status, put.json) == (200, {**got.json, "@odata.etag": put.json["@odata.etag"]})


def test_the_index_has_the_fields_that_azure_gives_it(environ: dict[str, str]) -> None:
    local = of_settings(read({**environ, "LOCAL_KIND": "azureBlob"}))
    definition = local.service.catalog.get("library-index").definition
    assert list(definition.fields) == ["uid", "snippet_parent_id", "blob_url", "snippet"]
    assert "library" not in local.service.catalog


async def test_an_answer_names_the_file(post: Post, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_KIND", "azureBlob")
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Is the street grid visible?"}]}]}
    answer = await post(body, "/agents/library/answer")
    assert answer.status == 200
    assert PLACES["azureBlob"][1] in answer.body.decode()
