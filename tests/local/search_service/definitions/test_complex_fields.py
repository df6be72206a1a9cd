"""Complex fields and collections of them: definitions, documents, and every option that may name a sub-field."""

from typing import Any

import pytest
from azure.search.documents import SearchClient

from retrieval.local.search_service import SearchService
from retrieval.local.transport import connect
from tests.local.search_service.conftest import Send, holds

SEARCH = "/indexes/inns/docs/search"

INNS: dict[str, Any] = {
    "name": "inns",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "name", "type": "Edm.String", "analyzer": "en.lucene"},
        {
            "name": "address",
            "type": "Edm.ComplexType",
            "fields": [
                {"name": "street", "type": "Edm.String", "filterable": False},
                {"name": "city", "type": "Edm.String"},
                {"name": "door", "type": "Edm.Int32"},
                {"name": "note", "type": "Edm.String", "retrievable": False},
            ],
        },
        {
            "name": "rooms",
            "type": "Collection(Edm.ComplexType)",
            "fields": [
                {"name": "text", "type": "Edm.String", "analyzer": "en.lucene"},
                {"name": "rate", "type": "Edm.Double"},
                {"name": "tags", "type": "Collection(Edm.String)"},
                {
                    "name": "window",
                    "type": "Edm.ComplexType",
                    "fields": [{"name": "view", "type": "Edm.String"}],
                },
            ],
        },
    ],
    "semantic": {
        "defaultConfiguration": "plain",
        "configurations": [
            {"name": "plain", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "rooms/text"}]}}
        ],
    },
}

DOCUMENTS: list[dict[str, Any]] = [
    {
        "id": "1",
        "name": "The Crown",
        "address": {"street": "Mill Lane", "city": "Ely", "door": 3, "note": "hidden"},
        "rooms": [
            {"text": "Deluxe suite", "rate": 180.5, "tags": ["bath", "sea"], "window": {"view": "garden"}},
            {"text": "Budget room", "rate": 60, "tags": []},
        ],
    },
    {
        "id": "2",
        "name": "The Anchor",
        "address": {"city": "York"},
        "rooms": [{"text": "Deluxe twin", "rate": 95, "tags": ["sea"], "window": {"view": "harbour"}}],
    },
    {"id": "3", "name": "The Barn", "address": None, "rooms": []},
]


@pytest.fixture
def inns(service: SearchService, send: Send) -> SearchClient:
    assert send("POST", "/indexes", INNS).status_code == 201
    client = SearchClient(index_name="inns", **connect(service), retry_total=0)
    client.upload_documents(DOCUMENTS)
    return client


def keys(inns: SearchClient, text: str = "*", **options: Any) -> list[str]:
    return [hit["id"] for hit in inns.search(text, **options)]


def plain(hit: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in hit.items() if not name.startswith("@")}


def test_a_definition_comes_back_as_it_was_sent(inns: SearchClient, send: Send) -> None:
    assert holds(send("GET", "/indexes/inns").json(), INNS)


def test_a_document_comes_back_with_nulls_and_without_what_is_hidden(inns: SearchClient) -> None:
    crown = inns.get_document("1")
    assert crown["address"] == {"street": "Mill Lane", "city": "Ely", "door": 3}
    assert crown["rooms"][1] == {"text": "Budget room", "rate": 60, "tags": [], "window": None}
    assert inns.get_document("2")["address"] == {"street": None, "city": "York", "door": None}
    barn = inns.get_document("3")
    assert (barn["address"], barn["rooms"]) == (None, [])


def test_nested_strings_are_searched(inns: SearchClient) -> None:
    assert keys(inns, "deluxe") == ["2", "1"]
    assert keys(inns, "york") == ["2"]
    assert keys(inns, "harbour") == ["2"]
    assert keys(inns, "deluxe crown", search_fields=["name"]) == ["1"]
    assert keys(inns, "deluxe ely", search_fields=["rooms/text"]) == ["2", "1"]
    assert keys(inns, "sea", search_fields=["rooms/tags", "address/city"]) == ["2", "1"]
    assert keys(inns, '"suite budget"') == []


@pytest.mark.parametrize(
    ("filter", "wanted"),
    [
        ("address/city eq 'Ely'", ["1"]),
        ("address/door eq null", ["2", "3"]),
        ("address/city ne 'Ely'", ["2", "3"]),
        ("address/door ge 3 and name ne 'x'", ["1"]),
        ("rooms/any(r: r/rate lt 100)", ["1", "2"]),
        ("rooms/any(r: r/rate lt 100 and r/text eq 'Deluxe suite')", []),
        ("rooms/any(r: r/text eq 'Deluxe twin' and r/rate lt 100)", ["2"]),
        ("rooms/any(r: r/tags/any(t: t eq 'bath'))", ["1"]),
        ("rooms/all(r: r/tags/any())", ["2", "3"]),
        ("rooms/any(r: r/window/view eq 'harbour')", ["2"]),
        ("rooms/any()", ["1", "2"]),
    ],
)
def test_a_filter_reaches_sub_fields(inns: SearchClient, filter: str, wanted: list[str]) -> None:
    assert keys(inns, filter=filter) == wanted


def test_select_takes_sub_fields(inns: SearchClient, send: Send) -> None:
    def select(*names: str) -> dict[str, Any]:
        return plain(next(iter(inns.search("crown", select=list(names)))))

    assert select("address/city") == {"address": {"city": "Ely"}}
    assert select("id", "rooms/rate", "rooms/window/view") == {
        "id": "1",
        "rooms": [{"rate": 180.5, "window": {"view": "garden"}}, {"rate": 60, "window": None}],
    }
    assert select("rooms/window") == {"rooms": [{"window": {"view": "garden"}}, {"window": None}]}
    assert select("address") == select("address", "address/city") == select("address/city", "address")
    assert select("address") == {"address": {"street": "Mill Lane", "city": "Ely", "door": 3}}
    assert plain(next(iter(inns.search("barn", select=["address/city", "rooms/rate"])))) == {
        "address": None,
        "rooms": [],
    }
    assert send("GET", "/indexes/inns/docs/1?$select=address/door").json() == {"address": {"door": 3}}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"select": "address/note"}, "address/note"),
        ({"select": "address/none"}, "address/none"),
        ({"select": "address/city/x"}, "address/city/x"),
        ({"searchFields": "address"}, "address"),
        ({"searchFields": "rooms/rate"}, "rooms/rate"),
        ({"filter": "address eq null"}, "address"),
        ({"filter": "address/street eq 'x'"}, "address/street"),
        ({"filter": "rooms/rate eq 5"}, "rooms"),
        ({"filter": "rooms/any(r: address/city eq 'x')"}, "address/city"),
    ],
)
def test_what_a_sub_field_does_not_allow_is_refused(
    inns: SearchClient, send: Send, body: dict[str, Any], named: str
) -> None:
    answer = send("POST", SEARCH, {"search": "*", **body})
    assert answer.status_code == 400, answer.text()
    assert named in answer.json()["error"]["message"]


def test_facets_and_order_reach_sub_fields(inns: SearchClient) -> None:
    hits = inns.search("*", facets=["rooms/tags", "address/city"], order_by=["address/door desc"], top=3)
    assert [hit["id"] for hit in hits] == ["1", "2", "3"]
    facets = hits.get_facets()
    assert facets is not None
    assert facets["rooms/tags"] == [{"value": "sea", "count": 2}, {"value": "bath", "count": 1}]
    assert facets["address/city"] == [{"value": "Ely", "count": 1}, {"value": "York", "count": 1}]


def test_semantic_ranking_reads_sub_fields(inns: SearchClient) -> None:
    hits = list(inns.search("deluxe twin", query_type="semantic"))
    assert (hits[0]["id"], hits[0]["@search.reranker_score"]) == ("2", 4.0)


def test_a_merge_keeps_the_sub_fields_that_it_does_not_name_but_replaces_collections(inns: SearchClient) -> None:
    inns.merge_documents([{"id": "1", "address": {"door": 4}, "rooms": [{"text": "Attic"}]}])
    merged = inns.get_document("1")
    assert merged["address"] == {"street": "Mill Lane", "city": "Ely", "door": 4}
    assert merged["rooms"] == [{"text": "Attic", "rate": None, "tags": [], "window": None}]
    assert keys(inns, "attic") == ["1"] and keys(inns, "suite") == []
    assert keys(inns, filter="address/door eq 4 and address/city eq 'Ely'") == ["1"]
    inns.merge_documents([{"id": "1", "address": None}])
    assert inns.get_document("1")["address"] is None


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"address": "Ely"}, "address"),
        ({"address": []}, "address"),
        ({"address": {"city": 5}}, "address/city"),
        ({"address": {"planet": "x"}}, "planet"),
        ({"rooms": {}}, "rooms"),
        ({"rooms": [None]}, "rooms"),
        ({"rooms": ["x"]}, "rooms"),
        ({"rooms": [{"tags": "x"}]}, "rooms/tags"),
        ({"rooms": [{"window": {"view": []}}]}, "rooms/window/view"),
        ({"rooms": [{}] * 3001}, "3000"),
    ],
)
def test_a_wrong_object_fails_the_batch(inns: SearchClient, send: Send, fields: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes/inns/docs/index", {"value": [{"id": "9", **fields}]})
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]


def nested(levels: int) -> dict[str, Any]:
    field: dict[str, Any] = {"name": "leaf", "type": "Edm.String"}
    for level in range(levels):
        field = {"name": f"level{level}", "type": "Edm.ComplexType", "fields": [field]}
    return field


def one(**change: Any) -> dict[str, Any]:
    return {"name": "c", "type": "Edm.ComplexType", "fields": [{"name": "x", "type": "Edm.String"}], **change}


@pytest.mark.parametrize(
    ("field", "named"),
    [
        (one(fields=[]), "no sub-fields"),
        (one(fields=None), "no sub-fields"),
        (one(searchable=True), "searchable"),
        (one(analyzer="en.lucene"), "analyzer"),
        (one(key=True), "key"),
        (one(fields=[{"name": "x", "type": "Edm.String", "key": True}]), "c/x"),
        (one(fields=[{"name": "x", "type": "Edm.Text"}]), "c/x"),
        (one(fields=[{"name": "x/y", "type": "Edm.String"}]), "x/y"),
        (one(fields=[{"name": "x", "type": "Edm.String"}, {"name": "X", "type": "Edm.String"}]), "twice"),
        (
            one(type="Collection(Edm.ComplexType)", fields=[{"name": "x", "type": "Edm.String", "sortable": True}]),
            "sortable",
        ),
        (
            one(fields=[{"name": "x", "type": "Collection(Edm.Single)", "dimensions": 3, "vectorSearchProfile": "p"}]),
            "sub-field",
        ),
        ({"name": "c", "type": "Edm.String", "fields": [{"name": "x", "type": "Edm.String"}]}, "sub-fields"),
        (nested(12), "levels"),
        (nested(300), "invalid"),
        (one(fields=[{"name": f"x{n}", "type": "Edm.String"} for n in range(1000)]), "1000 fields"),
    ],
)
def test_a_definition_that_breaks_a_rule_is_refused(send: Send, field: dict[str, Any], named: str) -> None:
    key = {"name": "id", "type": "Edm.String", "key": True}
    answer = send("POST", "/indexes", {"name": "other", "fields": [key, field]})
    assert answer.status_code == 400, answer.text()
    assert named in answer.json()["error"]["message"]


def test_ten_levels_are_allowed(send: Send) -> None:
    key = {"name": "id", "type": "Edm.String", "key": True}
    assert send("POST", "/indexes", {"name": "deep", "fields": [key, nested(10)]}).status_code == 201
