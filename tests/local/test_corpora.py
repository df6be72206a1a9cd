"""Corpora from files: what becomes of every member, and what is refused with its line."""

import json
from pathlib import Path

import pytest
from azure.search.documents import SearchClient

from retrieval.errors import NotConfigured
from retrieval.local.corpora import Corpus, load, sample
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import connect


def loaded(folder: Path, *lines: object, prefix: str = "") -> Corpus:
    path = folder / "corpus.jsonl"
    path.write_text(prefix + "\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return load("corpus", path)


def types(corpus: Corpus) -> dict[str, str]:
    fields = corpus.definition["fields"]
    assert isinstance(fields, list)
    found = {str(field["name"]): str(field["type"]) for field in fields if isinstance(field, dict)}
    return {name: kind for name, kind in found.items() if name not in {"id", "title", "text"}}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b"], "Edm.String"),
        ([1, 2], "Edm.Int64"),
        ([1, 2.5], "Edm.Double"),
        ([True], "Edm.Boolean"),
        (["2024-05-01T10:00:00Z", None], "Edm.DateTimeOffset"),
        (["2024-05-01T10:00:00Z", "soon"], "Edm.String"),
        ([["a"], []], "Collection(Edm.String)"),
        ([[1], [2, 3]], "Collection(Edm.Int64)"),
        ([[1], [2.5]], "Collection(Edm.Double)"),
        ([None, None], "Edm.String"),
        ([{"a": 1}], "Edm.String"),
        ([1, "a"], "Edm.String"),
        ([[1, "a"]], "Edm.String"),
    ],
)
def test_a_member_becomes_a_field_of_the_type_of_its_values(tmp_path: Path, values: list[object], kind: str) -> None:
    lines = [{"_id": str(n), "title": "", "text": "", "member": value} for n, value in enumerate(values)]
    assert types(loaded(tmp_path, *lines)) == {"member": kind}


def test_a_name_that_cannot_be_a_fields_is_changed(tmp_path: Path) -> None:
    line = {"_id": "1", "text": "", "page-number": 1, "_x": 2, "id": 3, "é": 4, "azureSearchX": 5}
    assert set(types(loaded(tmp_path, line))) == {"page_number", "m__x", "m_id", "m__", "m_azureSearchX"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"_id": "2", "a-b": 1, "a_b": 2}, "'a-b' and 'a_b' would be one field"),
        ({"_id": "2", "Tag": 1, "tag": 2}, "'Tag' and 'tag' would be one field"),
        ({"_id": "1"}, "the _id '1' was there before"),
        ({"_id": "2", "long": "x" * 9_000}, "the member 'long' is longer"),
    ],
)
def test_what_would_be_lost_is_refused_with_its_line(tmp_path: Path, line: dict[str, object], reason: str) -> None:
    with pytest.raises(NotConfigured) as caught:
        loaded(tmp_path, {"_id": "1", "text": "first"}, line)
    assert "corpus.jsonl, line 2" in str(caught.value)
    assert reason in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_first_document(tmp_path: Path) -> None:
    assert len(loaded(tmp_path, {"_id": "1", "text": "x"}, prefix="\ufeff").documents) == 1


def test_the_sample_is_an_index_and_an_agent() -> None:
    assert sample().agent.name == "earth-at-night"
    assert sample().index == "earth_at_night"


@pytest.mark.parametrize(
    ("language", "text", "asked"),
    [
        ("en", "The lamps are burning.", "lamp burned"),
        ("de", "Die Häuser der alten Städte.", "Haus alte Stadt"),
        ("fr", "Les chevaux de la reine.", "cheval"),
        ("es", "Las bibliotecas cerradas.", "biblioteca cerrada"),
        ("zh", "圖書館星期一不開放。", "圖書館"),
    ],
)
def test_words_are_found_as_the_language_of_the_corpus_inflects_them(
    tmp_path: Path, language: str, text: str, asked: str
) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"_id": "1", "title": "", "text": text}), encoding="utf-8")
    service = stand_in((("corpus", str(path)),), language).service
    client = SearchClient(index_name="corpus", **connect(service))
    assert [one["id"] for one in client.search(asked, search_mode="all")] == ["1"]


def test_a_language_without_an_analyzer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="'tlh' is no language of a corpus: en, de, fr"):
        load("corpus", tmp_path / "corpus.jsonl", language="tlh")
