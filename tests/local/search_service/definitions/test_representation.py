"""How Azure gives an index definition back: recorded of the service by Microsoft's clients, here with our own names.

Sources: the recordings beside the tests of azure-search-documents for Python (`test_search_index_client`) and of
@azure/search-documents, and definitions with vectors and semantic configurations that people have published.
"""

from pathlib import Path
from typing import Any

import pytest

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.store import Store
from tests.local.search_service.conftest import BOATS, Send
from tests.local.search_service.query.test_hostile_searches import ask

KEY = {"name": "id", "type": "Edm.String", "key": True, "searchable": False, "sortable": False}
REST: dict[str, Any] = {
    "indexAnalyzer": None,
    "searchAnalyzer": None,
    "analyzer": None,
    "normalizer": None,
    "dimensions": None,
    "vectorSearchProfile": None,
    "vectorEncoding": None,
    "synonymMaps": [],
}

DEFAULTS: list[tuple[dict[str, Any], dict[str, bool]]] = [
    ({"type": "Edm.String"}, {}),
    ({"type": "Edm.Int32"}, {"searchable": False}),
    ({"type": "Collection(Edm.String)"}, {"sortable": False}),
    ({"type": "Edm.GeographyPoint"}, {"searchable": False, "facetable": False}),
    (
        {"type": "Collection(Edm.Single)", "dimensions": 3, "vectorSearchProfile": "near"},
        {"filterable": False, "sortable": False, "facetable": False},
    ),
]

NEAR: dict[str, Any] = {
    "algorithms": [{"name": "graph", "kind": "hnsw"}, {"name": "all", "kind": "exhaustiveKnn"}],
    "profiles": [{"name": "near", "algorithm": "graph", "vectorizer": "model", "compression": "small"}],
    "vectorizers": [
        {"name": "model", "kind": "azureOpenAI", "azureOpenAIParameters": {"deploymentId": "d", "apiKey": "hunter2"}},
        {"name": "aml", "kind": "aml", "amlParameters": {"uri": "https://models.invalid", "key": "hunter2"}},
    ],
    "compressions": [{"name": "small", "kind": "scalarQuantization"}],
}


def given(send: Send, **members: Any) -> dict[str, Any]:
    """The definition of a new index, as it is given back."""
    answer = send("POST", "/indexes", {"name": "teas", "fields": [KEY], **members})
    assert answer.status_code == 201, answer.text()
    index: dict[str, Any] = send("GET", "/indexes/teas").json()
    assert index == answer.json()
    return index


def test_a_bare_index_has_every_member(send: Send) -> None:
    index = given(send)
    assert index.pop("@odata.etag")
    assert index == {
        "name": "teas",
        "defaultScoringProfile": None,
        "fields": [
            {
                "name": "id",
                "type": "Edm.String",
                "searchable": False,
                "filterable": True,
                "retrievable": True,
                "stored": True,
                "sortable": False,
                "facetable": True,
                "key": True,
                **REST,
            }
        ],
        "scoringProfiles": [],
        "corsOptions": None,
        "suggesters": [],
        "analyzers": [],
        "normalizers": [],
        "tokenizers": [],
        "tokenFilters": [],
        "charFilters": [],
        "encryptionKey": None,
        "similarity": {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": None, "b": None},
        "semantic": None,
        "vectorSearch": None,
    }


@pytest.mark.parametrize(("wire", "attributes"), DEFAULTS, ids=lambda one: str(one.get("type", "")))
def test_a_field_has_the_defaults_of_its_type(send: Send, wire: dict[str, Any], attributes: dict[str, bool]) -> None:
    whole = dict.fromkeys(("searchable", "filterable", "retrievable", "stored", "sortable", "facetable"), True)
    field = given(send, fields=[KEY, {"name": "field", **wire}], vectorSearch=NEAR)["fields"][1]
    assert field == {"name": "field", **whole, "key": False, **REST, **attributes, **wire}


def test_a_complex_field_has_its_sub_fields_alone(send: Send) -> None:
    garden = {"name": "garden", "type": "Collection(Edm.ComplexType)"}
    field = given(send, fields=[KEY, {**garden, "fields": [{"name": "place", "type": "Edm.String"}]}])["fields"][1]
    assert field.keys() == {"name", "type", "fields"}
    assert (field["fields"][0]["searchable"], field["fields"][0]["sortable"]) == (True, False)


def test_vector_search_has_the_parameters_of_its_algorithms_and_no_keys(send: Send) -> None:
    vector = {"name": "v", **DEFAULTS[-1][0]}
    assert given(send, fields=[KEY, vector], vectorSearch=NEAR)["vectorSearch"] == {
        "algorithms": [
            {
                "name": "graph",
                "kind": "hnsw",
                "hnswParameters": {"metric": "cosine", "m": 4, "efConstruction": 400, "efSearch": 500},
                "exhaustiveKnnParameters": None,
            },
            {
                "name": "all",
                "kind": "exhaustiveKnn",
                "hnswParameters": None,
                "exhaustiveKnnParameters": {"metric": "cosine"},
            },
        ],
        "profiles": [{"name": "near", "algorithm": "graph", "vectorizer": "model", "compression": "small"}],
        "vectorizers": [
            {
                "name": "model",
                "kind": "azureOpenAI",
                "azureOpenAIParameters": {
                    "resourceUri": None,
                    "deploymentId": "d",
                    "apiKey": "<redacted>",
                    "modelName": None,
                    "authIdentity": None,
                },
                "customWebApiParameters": None,
                "aiServicesVisionParameters": None,
                "amlParameters": None,
            },
            {
                "name": "aml",
                "kind": "aml",
                "azureOpenAIParameters": None,
                "customWebApiParameters": None,
                "aiServicesVisionParameters": None,
                "amlParameters": {"uri": "https://models.invalid", "key": "<redacted>"},
            },
        ],
        "compressions": [
            {
                "name": "small",
                "kind": "scalarQuantization",
                "truncationDimension": None,
                "scalarQuantizationParameters": {"quantizedDataType": "int8"},
                "rescoringOptions": {
                    "enableRescoring": True,
                    "defaultOversampling": None,
                    "rescoreStorageMethod": "preserveOriginals",
                },
            }
        ],
    }


def test_the_other_parts_have_their_defaults_too(send: Send) -> None:
    story = {"name": "story", "type": "Edm.String"}
    configuration = {"name": "c", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "story"}]}}
    grams = {"@odata.type": "#Microsoft.Azure.Search.NGramTokenFilterV2", "name": "grams", "maxGram": 3}
    custom = {"@odata.type": "#Microsoft.Azure.Search.CustomAnalyzer", "name": "mine", "tokenizer": "standard_v2"}
    index = given(
        send,
        fields=[KEY, story],
        semantic={"configurations": [configuration]},
        suggesters=[{"name": "sg", "sourceFields": ["story"]}],
        scoringProfiles=[{"name": "plain"}],
        corsOptions={"allowedOrigins": ["*"]},
        analyzers=[custom],
        tokenFilters=[grams],
    )
    fields = {"titleField": None, "prioritizedContentFields": [{"fieldName": "story"}], "prioritizedKeywordsFields": []}
    ranking = {"flightingOptIn": False, "rankingOrder": "BoostedRerankerScore"}
    assert index["semantic"] == {
        "defaultConfiguration": None,
        "configurations": [{"name": "c", **ranking, "prioritizedFields": fields}],
    }
    assert index["suggesters"] == [
        {"name": "sg", "searchMode": "analyzingInfixMatching", "sourceFields": ["story"]},
    ]
    assert index["scoringProfiles"] == [{"name": "plain", "functionAggregation": None, "text": None, "functions": []}]
    assert index["corsOptions"] == {"allowedOrigins": ["*"], "maxAgeInSeconds": None}
    assert index["analyzers"] == [{**custom, "tokenFilters": [], "charFilters": []}]
    assert index["tokenFilters"] == [{**grams, "minGram": 1}]


@pytest.mark.parametrize(
    "definition",
    [BOATS, {"fields": [KEY, {"name": "v", **DEFAULTS[-1][0]}], "vectorSearch": NEAR}],
    ids=["texts", "vectors"],
)
def test_what_is_given_back_can_be_sent_again(send: Send, definition: dict[str, Any]) -> None:
    index = given(send, **{**definition, "name": "teas"})
    again = send("PUT", "/indexes/teas", index, Prefer="return=representation")
    assert again.status_code == 200, again.text()
    assert again.json() == {**index, "@odata.etag": again.json()["@odata.etag"]}


def test_no_key_is_kept_in_the_folder(tmp_path: Path) -> None:
    store = Store(tmp_path)
    definition = {"name": "teas", "fields": [KEY, {"name": "v", **DEFAULTS[-1][0]}], "vectorSearch": NEAR}
    assert ask(SearchService(catalog=Catalog(store)), "/indexes", definition).status == 201
    store.close()
    assert not any(b"hunter2" in file.read_bytes() for file in tmp_path.iterdir())
