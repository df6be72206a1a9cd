"""Vector fields and `vectorSearch` in an index definition: what is kept, what is refused."""

from typing import Any

import pytest

from tests.local.search_service.conftest import Send
from tests.local.search_service.engine.test_vectors import SKY, vector_field


def with_field(**change: Any) -> dict[str, Any]:
    return {**SKY, "name": "other", "fields": [*SKY["fields"], {**vector_field("v", "plain"), **change}]}


def with_search(**change: Any) -> dict[str, Any]:
    return {**SKY, "name": "other", "vectorSearch": {**SKY["vectorSearch"], **change}}


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        (with_field(dimensions=1), "dimensions"),
        (with_field(dimensions=None), "dimensions"),
        (with_field(dimensions=5000), "dimensions"),
        (with_field(vectorSearchProfile=None), "vectorSearchProfile"),
        (with_field(vectorSearchProfile="none"), "none"),
        (with_field(filterable=True), "filterable"),
        (with_field(searchable=False), "searchable"),
        (with_field(type="Edm.Single"), "Edm.Single"),
        (with_field(type="Collection(Edm.String)"), "vector attributes"),
        (with_search(profiles=[{"name": "plain", "algorithm": "none"}]), "none"),
        (with_search(profiles=[{"name": "p", "algorithm": "graph", "vectorizer": "none"}]), "none"),
        (with_search(algorithms=[{"name": "graph", "kind": "magic"}]), "kind"),
        (with_search(algorithms=[{"name": "g", "kind": "hnsw"}] * 2), "twice"),
        (with_search(colour="x"), "colour"),
    ],
)
def test_a_definition_that_breaks_a_rule_is_refused(send: Send, sent: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes", sent)
    assert answer.status_code == 400, answer.text()
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert named in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        (with_field(type="Collection(Edm.Byte)", vectorEncoding="packedBit"), "binary"),
        (with_search(vectorizers=[{"name": "model", "kind": "aiServicesVision"}]), "aiServicesVision"),
        (
            with_search(
                algorithms=[{"name": "graph", "kind": "hnsw", "hnswParameters": {"metric": "hamming"}}],
                profiles=[{"name": "plain", "algorithm": "graph"}],
            ),
            "hamming",
        ),
    ],
)
def test_what_a_definition_cannot_have_here_is_refused_by_name(send: Send, sent: dict[str, Any], named: str) -> None:
    error = send("POST", "/indexes", sent).json()["error"]
    assert error["code"] == "UnsupportedByLocalSearch"
    assert named in error["message"]
