"""Suggestions and completions, through the SDK and over the wire."""

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.definitions.suggesters import Suggester
from retrieval.local.search_service.engine.suggestion_index import SuggestionIndex
from retrieval.local.transport import connect
from tests.local.search_service.conftest import Send

TEAS: dict[str, Any] = {
    "name": "teas",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "name", "type": "Edm.String"},
        {"name": "notes", "type": "Edm.String", "analyzer": "en.lucene"},
        {"name": "kinds", "type": "Collection(Edm.String)"},
        {"name": "garden", "type": "Edm.ComplexType", "fields": [{"name": "place", "type": "Edm.String"}]},
        {"name": "price", "type": "Edm.Int32"},
    ],
    "suggesters": [
        {
            "name": "sg",
            "searchMode": "analyzingInfixMatching",
            "sourceFields": ["name", "notes", "kinds", "garden/place"],
        }
    ],
}

SHELF: list[dict[str, Any]] = [
    {"id": "1", "name": "Smoked Pine", "notes": "Black tea, smoked over pinewood.", "kinds": ["black"], "price": 9},
    {"id": "2", "name": "Morning Black", "notes": "A brisk black tea for the morning.", "price": 5},
    {
        "id": "3",
        "name": "Black Pearl",
        "notes": "Rolled by hand.",
        "garden": {"place": "Blackwater valley"},
        "price": 7,
    },
    {"id": "4", "name": "Mint", "notes": "No tea at all.", "kinds": ["herb", "peppermint leaf"], "price": 3},
]


@pytest.fixture
def teas(service: SearchService) -> SearchClient:
    SearchIndexClient(**connect(service)).create_index(TEAS)
    client = SearchClient(index_name="teas", **connect(service), retry_total=0)
    client.upload_documents(SHELF)
    return client


def suggested(teas: SearchClient, text: str, **options: Any) -> list[tuple[str, str]]:
    return [(one["id"], one["@search.text"]) for one in teas.suggest(text, "sg", **options)]


def completed(teas: SearchClient, text: str, **options: Any) -> list[tuple[str, str]]:
    return [(one.text, one.query_plus_text) for one in teas.autocomplete(text, "sg", **options)]


def test_the_last_word_may_be_a_beginning_and_the_others_must_be_there(teas: SearchClient) -> None:
    assert suggested(teas, "pin") == [("1", "Smoked Pine")]
    assert suggested(teas, "smoked over pin") == [("1", "Black tea, smoked over pinewood.")]
    assert suggested(teas, "smok pin") == []


def test_a_suggestion_shows_the_first_field_that_matches(teas: SearchClient) -> None:
    assert suggested(teas, "pepper") == [("4", "peppermint leaf")]
    assert suggested(teas, "valley") == [("3", "Blackwater valley")]
    assert suggested(teas, "pine", search_fields=["notes"]) == [("1", "Black tea, smoked over pinewood.")]


def test_suggestions_come_by_how_much_of_their_fields_they_are(teas: SearchClient) -> None:
    assert [key for key, _ in suggested(teas, "black")] == ["1", "3", "2"]


def test_order_filter_top_and_select(teas: SearchClient) -> None:
    assert [key for key, _ in suggested(teas, "black", order_by="price asc")] == ["2", "3", "1"]
    assert [key for key, _ in suggested(teas, "black", filter="price gt 6", order_by="price desc")] == ["1", "3"]
    assert [key for key, _ in suggested(teas, "black", top=1)] == ["1"]
    assert [one["price"] for one in teas.suggest("mint", "sg", select=["price", "id"])] == [3]
    assert teas.suggest("mint", "sg")[0].keys() >= {"id"}
    assert "price" not in teas.suggest("mint", "sg")[0]


def test_a_letter_may_be_wrong_when_it_is_fuzzy(teas: SearchClient) -> None:
    assert suggested(teas, "smuked pin") == []
    assert suggested(teas, "smuked pin", use_fuzzy_matching=True)[0][0] == "1"
    assert completed(teas, "peprer") == []
    assert ("peppermint", "peppermint") in completed(teas, "peprer", use_fuzzy_matching=True)


def test_tags_mark_what_was_typed(teas: SearchClient) -> None:
    tags = {"highlight_pre_tag": "[", "highlight_post_tag": "]"}
    assert suggested(teas, "smoked over pin", **tags) == [("1", "Black tea, [smoked] [over] [pin]ewood.")]


def test_tags_are_in_the_completed_query_and_not_in_the_completion(teas: SearchClient) -> None:
    """Recorded of Azure by its .NET and Java clients: `po` with tags gives `pool` and `<b>pool</b>`."""
    tags = {"highlight_pre_tag": "<b>", "highlight_post_tag": "</b>"}
    assert completed(teas, "pea", **tags) == [("pearl", "<b>pearl</b>")]
    assert completed(teas, "smoked blackw", **tags) == [("blackwater", "smoked <b>blackwater</b>")]
    assert completed(teas, "black pe", **tags, mode="oneTermWithContext") == [("black pearl", "black <b>pearl</b>")]
    assert completed(teas, "rol", **tags, mode="twoTerms") == [("rolled by", "<b>rolled</b> by")]


def test_the_three_modes_of_completion(teas: SearchClient) -> None:
    assert completed(teas, "smoked bl") == [("black", "smoked black"), ("blackwater", "smoked blackwater")]
    assert completed(teas, "brisk black t", mode="oneTermWithContext") == [("black tea", "brisk black tea")]
    assert completed(teas, "over pi", mode="oneTermWithContext") == [("over pinewood", "over pinewood")]
    assert completed(teas, "rol", mode="twoTerms") == [("rolled by", "rolled by")]
    assert completed(teas, "bla", mode="oneTermWithContext") == completed(teas, "bla", mode="oneTerm")


def test_completions_come_by_documents_and_obey_the_filter(teas: SearchClient) -> None:
    assert [text for text, _ in completed(teas, "m")] == ["mint", "morning"]
    assert [text for text, _ in completed(teas, "bla")] == ["black", "blackwater"]
    assert [text for text, _ in completed(teas, "bla", filter="id eq '2'")] == ["black"]
    assert len(completed(teas, "b", top=2)) == 2


def test_a_change_is_seen_by_the_next_suggestion(teas: SearchClient) -> None:
    teas.merge_documents([{"id": "4", "name": "Nettle", "kinds": []}])
    assert suggested(teas, "pepper") == []
    assert suggested(teas, "nett") == [("4", "Nettle")]
    teas.delete_documents([{"id": "4"}])
    assert completed(teas, "nett") == []


@pytest.mark.parametrize("path", ["/indexes/teas/docs/suggest", "/indexes('teas')/docs/search.suggest"])
def test_get_says_the_same_in_a_query(teas: SearchClient, send: Send, path: str) -> None:
    answer = send(
        "GET", f"{path}?search=pin&suggesterName=sg&$select=price&$top=1&fuzzy=false&minimumCoverage=50"
    ).json()
    assert answer == {"@search.coverage": 100.0, "value": [{"@search.text": "Smoked Pine", "price": 9}]}


@pytest.mark.parametrize("path", ["/indexes/teas/docs/autocomplete", "/indexes('teas')/docs/search.autocomplete"])
def test_get_completes_too(teas: SearchClient, send: Send, path: str) -> None:
    answer = send("GET", f"{path}?search=rol&suggesterName=sg&autocompleteMode=twoTerms").json()
    assert answer == {"value": [{"text": "rolled by", "queryPlusText": "rolled by"}]}


@pytest.mark.parametrize("text", ["!", " ", "\U0001f375", "a" * 100, "é" * 50, '"', "\\", "a b " * 25])
def test_any_text_is_answered(teas: SearchClient, text: str) -> None:
    assert suggested(teas, text, use_fuzzy_matching=True) is not None
    assert completed(teas, text, mode="twoTerms") is not None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"search": ""}, "search"),
        ({"search": "a" * 101}, "search"),
        ({"suggesterName": "other"}, "other"),
        ({"suggesterName": None}, "suggesterName"),
        ({"top": 0}, "top"),
        ({"top": 101}, "top"),
        ({"searchFields": "price"}, "price"),
        ({"filter": "nothing eq 1"}, "nothing"),
        ({"orderby": "kinds"}, "kinds"),
        ({"select": "nothing"}, "nothing"),
        ({"highlightPreTag": "<b>"}, "highlightPostTag"),
        ({"minimumCoverage": 101}, "minimumCoverage"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_wrong_is_named(teas: SearchClient, send: Send, change: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes/teas/docs/suggest", {"search": "pin", "suggesterName": "sg", **change})
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]


def test_an_unknown_mode_is_refused(teas: SearchClient) -> None:
    with pytest.raises(HttpResponseError, match="autocompleteMode"):
        teas.autocomplete("pin", "sg", mode="threeTerms")


@pytest.mark.parametrize(
    ("suggester", "named"),
    [
        ({"name": "s", "sourceFields": ["price"]}, "price"),
        ({"name": "s", "sourceFields": ["id"]}, "id"),
        ({"name": "s", "sourceFields": []}, "one field or more"),
        ({"name": "s", "sourceFields": ["name", "name"]}, "once"),
        ({"name": "", "sourceFields": ["name"]}, "1 to 128"),
        ({"name": "s", "sourceFields": ["name"], "searchMode": "prefix"}, "searchMode"),
        ({"name": "s", "sourceFields": ["garden"]}, "garden"),
        ({"name": "s"}, "sourceFields"),
    ],
)
def test_a_suggester_that_cannot_be_is_refused(send: Send, suggester: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes", {**TEAS, "suggesters": [suggester]})
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]


def test_an_index_has_one_suggester_over_words(send: Send) -> None:
    one = {"name": "s", "sourceFields": ["name"]}
    assert send("POST", "/indexes", {**TEAS, "suggesters": [one, {**one, "name": "t"}]}).status_code == 400
    fields = [*TEAS["fields"], {"name": "code", "type": "Edm.String", "analyzer": "keyword"}]
    coded = {**TEAS, "fields": fields, "suggesters": [{"name": "s", "sourceFields": ["code"]}]}
    assert "code" in send("POST", "/indexes", coded).json()["error"]["message"]


TEXTS = st.lists(st.text(alphabet="ab ", max_size=8), max_size=6)


@given(kept=TEXTS, gone=TEXTS, start=st.text(alphabet="ab", min_size=1, max_size=3))
def test_what_was_removed_leaves_no_trace(kept: list[str], gone: list[str], start: str) -> None:
    index, fresh = (SuggestionIndex(Suggester(name="sg", fields=("text",))) for _ in range(2))
    for ordinal, text in enumerate([*gone, *kept]):
        index.add(ordinal, {"text": text})
    for ordinal, text in enumerate(gone):
        index.remove(ordinal, {"text": text})
    for ordinal, text in enumerate(kept, len(gone)):
        fresh.add(ordinal, {"text": text})
    for fuzzy in (False, True):
        assert index.beginning(start, fuzzy=fuzzy) == fresh.beginning(start, fuzzy=fuzzy)
    for word in fresh.beginning(start, fuzzy=False):
        assert index.fields["text"].documents(word) == fresh.fields["text"].documents(word)
    words = {word for text in kept for word in text.split()}
    assert index.beginning(start, fuzzy=False) == sorted(word for word in words if word.startswith(start))
