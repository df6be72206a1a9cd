"""Vector compression in definitions, updates and queries; results stay those of exact search."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from azure.core.exceptions import HttpResponseError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import (
    BinaryQuantizationCompression,
    HnswAlgorithmConfiguration,
    RescoringOptions,
    ScalarQuantizationCompression,
    ScalarQuantizationParameters,
    SearchField,
    SearchIndex,
    VectorSearch,
    VectorSearchProfile,
)
from azure.search.documents.models import VectorizedQuery

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.store import Store
from retrieval.local.transport import connect
from tests.local.search_service.conftest import Send, holds
from tests.local.search_service.engine.test_vectors import query, vector_field

SEARCH = "/indexes/flock/docs/search"
WIDE = 8

SCALAR: dict[str, Any] = {
    "name": "use-scalar",
    "kind": "scalarQuantization",
    "rescoringOptions": {
        "enableRescoring": True,
        "defaultOversampling": 10,
        "rescoreStorageMethod": "preserveOriginals",
    },
    "scalarQuantizationParameters": {"quantizedDataType": "int8"},
    "truncationDimension": 4,
}
BINARY: dict[str, Any] = {
    "name": "use-binary",
    "kind": "binaryQuantization",
    "rescoringOptions": {
        "enableRescoring": True,
        "defaultOversampling": 10,
        "rescoreStorageMethod": "discardOriginals",
    },
    "truncationDimension": 4,
}
OLDER: dict[str, Any] = {
    "name": "use-scalar",
    "kind": "scalarQuantization",
    "scalarQuantizationParameters": {"quantizedDataType": "int8"},
    "rerankWithOriginalVectors": True,
    "defaultOversampling": 10,
}


def flock(*compressions: Any, compression: Any = "use-scalar", **field: Any) -> dict[str, Any]:
    """An index with one field `plain`, and one `small` that is compressed."""
    return {
        "name": "flock",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
            vector_field("plain", "whole", WIDE),
            {**vector_field("small", "compressed", WIDE), **field},
        ],
        "vectorSearch": {
            "algorithms": [{"name": "use-hnsw", "kind": "hnsw", "hnswParameters": {"metric": "cosine"}}],
            "profiles": [
                {"name": "whole", "algorithm": "use-hnsw"},
                {"name": "compressed", "algorithm": "use-hnsw", "compression": compression},
            ],
            "compressions": list(compressions),
        },
    }


def birds(many: int = 200) -> list[dict[str, Any]]:
    rows = np.random.default_rng(5).standard_normal((many, WIDE)).round(3).tolist()
    return [{"id": str(n), "plain": row, "small": row} for n, row in enumerate(rows)]


@pytest.fixture
def client(service: SearchService) -> SearchClient:
    return SearchClient(index_name="flock", **connect(service), retry_total=0)


def created(send: Send, definition: dict[str, Any], client: SearchClient) -> None:
    answer = send("POST", "/indexes", definition)
    assert answer.status_code == 201, answer.text()
    client.upload_documents(birds())


@pytest.mark.parametrize(
    ("compression", "name"), [(SCALAR, "use-scalar"), (BINARY, "use-binary"), (OLDER, "use-scalar")]
)
def test_a_compressed_field_finds_what_exact_search_finds(
    send: Send, client: SearchClient, compression: dict[str, Any], name: str
) -> None:
    created(send, flock(compression, compression=name), client)
    asked = [1.0, -0.5, 0.25, 0.0, 2.0, -1.0, 0.5, 0.75]

    def found(field: str, **more: Any) -> list[tuple[str, float]]:
        near = VectorizedQuery(vector=asked, k_nearest_neighbors=10, fields=field, **more)
        return [(hit["id"], hit["@search.score"]) for hit in client.search(vector_queries=[near])]

    assert len(found("plain")) == 10
    assert found("small") == found("plain")
    assert found("small", oversampling=12.0) == found("plain")
    assert found("small", oversampling=1, exhaustive=True) == found("plain")


def test_the_definition_of_the_sdk_comes_back_as_it_was_made(indexes: SearchIndexClient) -> None:
    made = SearchIndex(
        name="sdk",
        fields=[
            SearchField(name="id", type="Edm.String", key=True),
            SearchField(
                name="small",
                type="Collection(Edm.Half)",
                searchable=True,
                stored=False,
                hidden=True,
                vector_search_dimensions=WIDE,
                vector_search_profile_name="binary",
            ),
        ],
        vector_search=VectorSearch(
            algorithms=[HnswAlgorithmConfiguration(name="graph")],
            profiles=[
                VectorSearchProfile(name="binary", algorithm_configuration_name="graph", compression_name="bits"),
                VectorSearchProfile(name="scalar", algorithm_configuration_name="graph", compression_name="bytes"),
            ],
            compressions=[
                BinaryQuantizationCompression(
                    compression_name="bits",
                    truncation_dimension=4,
                    rescoring_options=RescoringOptions(
                        enable_rescoring=True, default_oversampling=10, rescore_storage_method="discardOriginals"
                    ),
                ),
                ScalarQuantizationCompression(
                    compression_name="bytes", parameters=ScalarQuantizationParameters(quantized_data_type="int8")
                ),
            ],
        ),
    )
    indexes.create_index(made)
    given = indexes.get_index("sdk")
    assert given.vector_search is not None
    assert made.vector_search is not None
    assert holds(given.vector_search.as_dict(), made.vector_search.as_dict())
    assert given.fields[1].stored is False


def test_a_compression_that_no_profile_names_is_kept(send: Send) -> None:
    sent = flock(SCALAR, BINARY)
    assert send("POST", "/indexes", sent).status_code == 201
    assert holds(send("GET", "/indexes/flock").json(), sent)


@pytest.mark.parametrize(
    ("definition", "named"),
    [
        (flock(SCALAR, compression="use-other"), "unknown compression 'use-other'"),
        (flock(), "unknown compression 'use-scalar'"),
        (flock(SCALAR, SCALAR), "compression 'use-scalar' occurs twice"),
        (flock({**SCALAR, "kind": "productQuantization"}), "kind"),
        (flock({"name": "use-mrl", "kind": "truncation", "truncationDimension": 4}), "kind"),
        (flock({"name": "use-scalar"}), "kind"),
        (flock({**SCALAR, "name": ""}), "name"),
        (flock({**SCALAR, "name": None}), "name"),
        (flock({**SCALAR, "colour": "x"}), "colour"),
        (flock("use-scalar"), "compressions"),
        (flock({**SCALAR, "scalarQuantizationParameters": {"quantizedDataType": "int4"}}), "quantizedDataType"),
        (
            flock(SCALAR, {**BINARY, "scalarQuantizationParameters": {"quantizedDataType": "int8"}}),
            "scalarQuantizationParameters",
        ),
        (flock({**SCALAR, "truncationDimension": WIDE + 1}), "truncate"),
        (flock({**SCALAR, "truncationDimension": 1}), "truncationDimension"),
        (flock({**SCALAR, "truncationDimension": 2.5}), "truncationDimension"),
        (flock({**SCALAR, "truncationDimension": "4"}), "truncationDimension"),
        (flock({**OLDER, "defaultOversampling": 0.5}), "defaultOversampling"),
        (flock({**OLDER, "defaultOversampling": "10"}), "defaultOversampling"),
        (flock({**OLDER, "rerankWithOriginalVectors": "true"}), "rerankWithOriginalVectors"),
        (flock({**OLDER, "rerankWithOriginalVectors": False}), "defaultOversampling"),
        (flock({**SCALAR, "defaultOversampling": 4}), "older spelling"),
        (flock({**SCALAR, "rescoringOptions": {"enableRescoring": 1}}), "enableRescoring"),
        (flock({**SCALAR, "rescoringOptions": {"rescoreStorageMethod": "keep"}}), "rescoreStorageMethod"),
        (
            flock({**SCALAR, "rescoringOptions": {"enableRescoring": False, "defaultOversampling": 2}}),
            "defaultOversampling",
        ),
        (
            flock(
                {
                    **SCALAR,
                    "rescoringOptions": {**SCALAR["rescoringOptions"], "rescoreStorageMethod": "discardOriginals"},
                }
            ),
            "original vectors",
        ),
        (flock(SCALAR, type="Collection(Edm.SByte)"), "cannot be compressed"),
    ],
)
def test_a_compression_that_breaks_a_rule_is_refused(send: Send, definition: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes", definition)
    assert answer.status_code == 400, answer.text()
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert named in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (query([0] * WIDE, "plain", oversampling=2.0), "'plain'"),
        (query([0] * WIDE, "small,plain", oversampling=2.0), "'plain'"),
        (query([0] * WIDE, "small", oversampling=0.9), "oversampling"),
        (query([0] * WIDE, "small", oversampling="2"), "oversampling"),
        (query([0] * WIDE, "small", oversampling=True), "oversampling"),
        (query([0] * 4, "small"), "4 dimensions; the field has 8"),
    ],
)
def test_a_query_oversamples_compressed_fields_only(
    send: Send, client: SearchClient, asked: dict[str, Any], named: str
) -> None:
    created(send, flock(SCALAR), client)
    answer = send("POST", SEARCH, {"vectorQueries": [asked]})
    assert answer.status_code == 400, answer.text()
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert named in answer.json()["error"]["message"]


def test_scalar_vectors_without_their_originals_cannot_be_oversampled(send: Send, client: SearchClient) -> None:
    gone = {**SCALAR, "rescoringOptions": {"enableRescoring": False, "rescoreStorageMethod": "discardOriginals"}}
    created(send, flock(gone), client)
    asked = query([1] * WIDE, "small", k=1)
    assert send("POST", SEARCH, {"vectorQueries": [asked]}).status_code == 200
    answer = send("POST", SEARCH, {"vectorQueries": [{**asked, "oversampling": 2}]})
    assert answer.status_code == 400
    assert "original vectors" in answer.json()["error"]["message"]


def test_a_field_keeps_its_compression_when_the_index_is_updated(send: Send, client: SearchClient) -> None:
    created(send, flock(SCALAR), client)

    def put(definition: dict[str, Any]) -> int:
        return send("PUT", "/indexes/flock", definition).status_code

    assert put(flock({**SCALAR, "rescoringOptions": {"defaultOversampling": 3}})) == 204
    assert put(flock({**SCALAR, "truncationDimension": None})) == 400
    assert put(flock(SCALAR, compression=None)) == 400
    assert put(flock(BINARY, compression="use-binary")) == 400
    whole = flock(SCALAR)
    whole["fields"].append(vector_field("new", "compressed", WIDE))
    assert put(whole) == 204
    near = VectorizedQuery(vector=[1.0] * WIDE, k_nearest_neighbors=3, fields="small", oversampling=2)
    assert len(list(client.search(vector_queries=[near]))) == 3


def test_a_compressed_index_outlives_a_restart(tmp_path: Path) -> None:
    near = VectorizedQuery(vector=[1.0] * WIDE, k_nearest_neighbors=5, fields="small", oversampling=2)

    def found(service: SearchService) -> list[str]:
        client = SearchClient(index_name="flock", **connect(service))
        return [hit["id"] for hit in client.search(vector_queries=[near])]

    store = Store(tmp_path)
    service = SearchService(catalog=Catalog(store))
    SearchIndexClient(**connect(service)).create_index(SearchIndex(flock(SCALAR, stored=False)))
    SearchClient(index_name="flock", **connect(service)).upload_documents(birds())
    before = found(service)
    store.close()
    again = Store(tmp_path)
    assert found(SearchService(catalog=Catalog(again))) == before
    again.close()


def test_a_vector_that_is_not_stored_is_searched_and_never_returned(send: Send, client: SearchClient) -> None:
    created(send, flock(SCALAR, stored=False, retrievable=False), client)
    near = VectorizedQuery(vector=[1.0] * WIDE, k_nearest_neighbors=1, fields="small")
    (hit,) = client.search(vector_queries=[near])
    assert "small" not in hit and "plain" in hit
    assert "small" not in client.get_document(hit["id"])
    with pytest.raises(HttpResponseError, match="retrievable"):
        list(client.search("*", select=["small"]))


def test_a_merge_drops_the_vector_that_is_not_stored_unless_it_brings_one(send: Send, client: SearchClient) -> None:
    created(send, flock(SCALAR, stored=False), client)
    vector = birds()[0]["plain"]

    def nearest(field: str) -> str:
        near = VectorizedQuery(vector=vector, k_nearest_neighbors=1, fields=field)
        return str(next(iter(client.search(vector_queries=[near])))["id"])

    assert (nearest("plain"), nearest("small")) == ("0", "0")
    client.merge_documents([{"id": "0"}])
    assert nearest("plain") == "0"
    assert nearest("small") != "0"
    client.merge_or_upload_documents([{"id": "0", "small": vector}])
    assert nearest("small") == "0"


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"stored": False, "retrievable": True}, "retrievable"), ({"name": "id", "type": "Edm.String"}, "'id'")],
)
def test_only_vectors_that_are_not_retrievable_can_be_not_stored(
    send: Send, changed: dict[str, Any], named: str
) -> None:
    definition = flock(SCALAR, **changed)
    if "name" in changed:
        definition["fields"] = [{"name": "id", "type": "Edm.String", "key": True, "stored": False}]
    answer = send("POST", "/indexes", definition)
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]


def test_whether_a_vector_is_stored_is_said_when_the_index_is_created(send: Send) -> None:
    assert send("POST", "/indexes", flock(SCALAR)).status_code == 201
    assert send("PUT", "/indexes/flock", flock(SCALAR, stored=False)).status_code == 400
    assert send("PUT", "/indexes/flock", flock(SCALAR, retrievable=False)).status_code == 204
    added = flock(SCALAR)
    added["fields"].append({**vector_field("new", "compressed", WIDE), "stored": False})
    answer = send("PUT", "/indexes/flock", added)
    assert answer.status_code == 400
    assert "'new'" in answer.json()["error"]["message"]
