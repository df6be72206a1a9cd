"""Synonym maps: their rules, and what a search over a field with one finds."""

from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SynonymMap
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text import synonyms
from retrieval.local.search_service.text.analysis import ANALYZERS
from retrieval.local.search_service.text.synonyms import Rule, Synonyms
from retrieval.local.transport import connect
from tests.local.search_service.conftest import Send

RULES = ["# boats", "ketch, yawl, small sailing boat", "craft => ship, vessel", r"a\,b => c"]

DOCKS: dict[str, Any] = {
    "name": "docks",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "text", "type": "Edm.String", "analyzer": "en.lucene", "synonymMaps": ["boats"]},
        {"name": "plain", "type": "Edm.String"},
    ],
}

MOORED = [
    {"id": "ketch", "text": "The ketch from Ely"},
    {"id": "yawl", "text": "Two yawls"},
    {"id": "small", "text": "A small sailing boat from Ely"},
    {"id": "ship", "text": "A ship"},
    {"id": "craft", "text": "A craft"},
    {"id": "plain", "plain": "yawl"},
]


@pytest.fixture
def docks(indexes: SearchIndexClient, service: SearchService, send: Send) -> SearchClient:
    indexes.create_synonym_map(SynonymMap(name="boats", synonyms=RULES))
    assert send("POST", "/indexes", DOCKS).status_code == 201
    client = SearchClient(index_name="docks", **connect(service), retry_total=0)
    client.upload_documents(MOORED)
    return client


def found(docks: SearchClient, text: str, **options: Any) -> set[str]:
    return {one["id"] for one in docks.search(text, **options)}


def test_a_synonym_is_found_in_the_fields_that_name_the_map(docks: SearchClient) -> None:
    assert found(docks, "ketch") == found(docks, "ketches") == {"ketch", "yawl", "small"}
    assert found(docks, "plain:ketch", query_type="full") == set()
    assert found(docks, "yawl") == {"ketch", "yawl", "small", "plain"}


def test_what_is_left_of_an_arrow_is_replaced(docks: SearchClient) -> None:
    assert found(docks, "craft") == {"ship"}
    assert found(docks, "ship") == {"ship"}


def test_several_words_are_a_synonym_as_a_phrase(docks: SearchClient) -> None:
    assert found(docks, '"small sailing boat"') == {"ketch", "yawl", "small"}
    assert found(docks, "sailing") == {"small"}
    assert found(docks, '"ketch from Ely"') == {"ketch", "small"}


def test_synonyms_hold_in_mode_all_and_in_the_full_syntax(docks: SearchClient) -> None:
    assert found(docks, "yawl ely", search_mode="all") == {"ketch", "small"}
    assert found(docks, "text:ketch^2 AND ely", query_type="full") == {"ketch", "small"}


def test_patterns_are_not_expanded(docks: SearchClient) -> None:
    assert found(docks, "ketc*") == {"ketch"}
    assert found(docks, "ketch~1", query_type="full") == {"ketch"}


def test_a_change_of_the_map_holds_for_the_next_search(docks: SearchClient, indexes: SearchIndexClient) -> None:
    indexes.create_or_update_synonym_map(SynonymMap(name="boats", synonyms=["ketch, ship"]))
    assert found(docks, "ketch") == {"ketch", "ship"}
    indexes.delete_synonym_map("boats")
    assert found(docks, "ketch") == {"ketch"}


def test_the_life_of_a_synonym_map(indexes: SearchIndexClient) -> None:
    created = indexes.create_synonym_map(SynonymMap(name="words", synonyms=["a, b"]))
    assert created.synonyms == ["a, b"]
    with pytest.raises(ResourceExistsError):
        indexes.create_synonym_map(SynonymMap(name="words", synonyms=["a, b"]))
    changed = indexes.create_or_update_synonym_map(SynonymMap(name="words", synonyms=["a, c", "d => e"]))
    assert indexes.get_synonym_map("words").synonyms == ["a, c", "d => e"]
    with pytest.raises(ResourceModifiedError):
        indexes.delete_synonym_map(created, match_condition=MatchConditions.IfNotModified)
    assert indexes.get_service_statistics().counters.synonym_map_counter.usage == 1
    indexes.delete_synonym_map(changed, match_condition=MatchConditions.IfNotModified)
    with pytest.raises(ResourceNotFoundError):
        indexes.get_synonym_map("words")


@pytest.mark.parametrize(
    "body",
    [
        {"name": "m", "synonyms": "a, b => "},
        {"name": "m", "synonyms": "=> b"},
        {"name": "m", "synonyms": "a => b => c"},
        {"name": "m", "synonyms": ", , ,"},
        {"name": "m", "synonyms": ", ".join("abcdefghijklmnopqrstu")},
        {"name": "m", "synonyms": "\n".join(["a, b"] * 20_001)},
        {"name": "m", "synonyms": "a," * 5_001},
        {"name": "m", "format": "wordnet", "synonyms": "a, b"},
        {"name": "m b", "synonyms": "a, b"},
        {"name": "", "synonyms": "a, b"},
        {"name": "m"},
        {"name": "m", "synonyms": "a, b", "colour": "red"},
    ],
)
def test_a_map_that_cannot_be_is_refused(send: Send, body: dict[str, Any]) -> None:
    answer = send("POST", "/synonymmaps", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"


def test_an_encrypted_map_is_refused_by_name(send: Send) -> None:
    body = {"name": "m", "synonyms": "a, b", "encryptionKey": {"keyVaultKeyName": "k"}}
    assert send("POST", "/synonymmaps", body).json()["error"]["code"] == "UnsupportedByLocalSearch"


@pytest.mark.parametrize("maps", [["none"], ["boats", "boats"]])
def test_a_field_has_one_map_that_exists(send: Send, maps: list[str]) -> None:
    fields = [DOCKS["fields"][0], {**DOCKS["fields"][1], "synonymMaps": maps}]
    answer = send("POST", "/indexes", {**DOCKS, "fields": fields})
    assert answer.status_code == 400
    assert "'text'" in answer.json()["error"]["message"]


def test_a_phrase_of_too_many_phrases_is_refused(docks: SearchClient, indexes: SearchIndexClient) -> None:
    indexes.create_or_update_synonym_map(SynonymMap(name="boats", synonyms=["a1, b1, c1, d1, e1, f1"]))
    with pytest.raises(HttpResponseError, match="100 phrases"):
        list(docks.search('"a1 b1 c1 d1"'))


def test_rules_are_read_with_their_escapes() -> None:
    assert synonyms.read("\n".join(RULES)) == [
        Rule(("ketch", "yawl", "small sailing boat"), ("ketch", "yawl", "small sailing boat")),
        Rule(("craft",), ("ship", "vessel")),
        Rule(("a,b",), ("c",)),
    ]


@given(st.text(max_size=200))
def test_any_text_is_rules_or_refused(text: str) -> None:
    try:
        rules = synonyms.read(text)
    except InvalidArgument:
        return
    expanded = list(Synonyms(rules).expand(["a", None, "b"], ANALYZERS["standard.lucene"]))
    assert expanded


@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=8))
def test_without_rules_nothing_changes(places: list[str | None]) -> None:
    expanded = list(Synonyms([]).expand(places, ANALYZERS["standard.lucene"]))
    assert expanded == [((place,),) for place in places]
