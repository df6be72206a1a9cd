"""Thresholds of vector queries, and filters that replace the filter of the search."""

from typing import Any

import numpy as np
import pytest
from azure.search.documents import SearchClient
from azure.search.documents.models import VectorizedQuery
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.local.search_service.engine import vector_scores
from retrieval.local.search_service.engine.vector_scores import Threshold
from tests.local.search_service.conftest import Send
from tests.local.search_service.engine.test_vectors import SEARCH, Ask, ask, fused, keys, query, sky

__all__ = ["ask", "sky"]


def threshold(value: Any, kind: Any = "vectorSimilarity") -> dict[str, Any]:
    return {"threshold": {"kind": kind, "value": value}}


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        (query([1, 0], **threshold(0.8)), "ab"),
        (query([1, 0], **threshold(0.7)), "abc"),
        (query([1, 0], **threshold(0)), "abcd"),
        (query([1, 0], **threshold(1)), "a"),
        (query([1, 0], **threshold(1.1)), ""),
        (query([1, 0], k=1, **threshold(0.7)), "a"),
        (query([1, 0], **threshold(0.8, "searchScore")), "ab"),
        (query([1, 0], **threshold(0.5, "searchScore")), "abcd"),
        (query([0, 0], "colour", **threshold(5)), "acb"),
        (query([0, 0], "colour", **threshold(4.99)), "ac"),
        (query([0, 0], "colour", **threshold(0.5, "searchScore")), "ac"),
        (query([1, 1], "weight", **threshold(0)), "bad"),
        (query([1, 1], "weight", **threshold(-1)), "badc"),
        (query([1, 1], "weight", **threshold(4, "searchScore")), "b"),
    ],
)
def test_a_threshold_leaves_what_is_near_enough_in_the_direction_of_the_metric(
    ask: Ask, asked: dict[str, Any], left: str
) -> None:
    assert "".join(keys(ask(asked))) == left


def test_the_sdk_sends_a_threshold_that_the_documentation_shows(sky: SearchClient) -> None:
    near = VectorizedQuery(
        {
            "kind": "vector",
            "vector": [1.0, 0.0],
            "fields": "place",
            "threshold": {"kind": "vectorSimilarity", "value": 0.8},
        }
    )
    assert [hit["id"] for hit in sky.search(vector_queries=[near])] == ["a", "b"]


def test_a_threshold_comes_before_the_fusion(ask: Ask) -> None:
    both = [query([1, 0], **threshold(0.8)), query([0, 1])]
    assert ask(*both) == fused("ab", "dcba")
    assert ask(query([1, 0], **threshold(0.8)), search="dwarf") == fused("bc", "ab")
    assert keys(ask(query([1, 0], **threshold(1.1)), search="dwarf")) == ["b", "c"]


def test_the_score_that_a_document_shows_keeps_it_as_a_threshold(ask: Ask) -> None:
    shown = dict(ask(query([1, 0])))
    assert keys(ask(query([1, 0], **threshold(shown["b"], "searchScore")))) == ["a", "b"]


def test_a_threshold_is_over_fields_of_one_metric(ask: Ask, send: Send) -> None:
    answer = send("POST", SEARCH, {"vectorQueries": [query([1, 0], "place,colour", **threshold(0.8))]})
    assert answer.status_code == 400
    assert "one similarity metric" in answer.json()["error"]["message"]
    assert keys(ask(query([1, 0], "place,place", **threshold(0.8)))) == ["a", "b"]


@pytest.mark.parametrize(
    "wrong",
    [
        threshold("0.8"),
        threshold(None),
        threshold(True),
        threshold(1e39),
        threshold(0.8, "cosine"),
        threshold(0.8, None),
        {"threshold": {"value": 0.8}},
        {"threshold": {"kind": "searchScore"}},
        {"threshold": {**threshold(0.8)["threshold"], "colour": 1}},
        {"threshold": 0.8},
        {"threshold": []},
    ],
)
def test_a_bad_threshold_is_refused(sky: SearchClient, send: Send, wrong: dict[str, Any]) -> None:
    answer = send("POST", SEARCH, {"vectorQueries": [query([1, 0], **wrong)]})
    assert answer.status_code == 400, answer.text()
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert "threshold" in answer.json()["error"]["message"]


likenesses = st.lists(st.floats(-50, 1, width=32), max_size=30).map(lambda all: sorted(all, reverse=True))


@settings(deadline=None)
@given(likenesses, st.sampled_from(["cosine", "euclidean", "dotProduct"]), st.data())
def test_what_a_threshold_leaves_is_what_passes_it_one_by_one(
    found: list[float], metric: Any, data: st.DataObject
) -> None:
    limits = Threshold(
        data.draw(st.sampled_from(["vectorSimilarity", "searchScore"])), data.draw(st.floats(-5, 60, width=32))
    )
    if metric == "euclidean":
        found = [min(likeness, 0.0) for likeness in found]
    neighbours = list(zip(found, range(len(found)), strict=True))
    one_by_one = [one for one in neighbours if limits.passes(one[0], metric)]
    assert vector_scores.kept(neighbours, limits, metric) == one_by_one


def test_scores_beyond_single_precision_are_its_greatest_number(sky: SearchClient, send: Send) -> None:
    sky.upload_documents([{"id": "far", "place": [3e38, 3e38], "colour": [3e38, -3e38]}])
    answer = send("POST", SEARCH, {"vectorQueries": [query([-3e38, 3e38], "colour")], "debug": "vector"})
    shown = answer.json()["value"][-1]["@search.documentDebugInfo"]["vectors"]["subscores"]["vectors"]
    assert shown[0]["colour"]["vectorSimilarity"] == float(np.finfo(np.float32).max)
    assert 0 < shown[0]["colour"]["searchScore"] < 1e-38


class TestFilterOverride:
    """The filter of a vector query replaces the filter of the search."""

    def test_the_documented_example_filters_text_and_vectors_apart(self, ask: Ask) -> None:
        asked = query([1, 0], filterOverride="group eq 'x'")
        assert keys(ask(asked)) == ["a", "c", "d"]
        assert keys(ask(asked, filter="group eq 'y'")) == ["a", "c", "d"]
        assert ask(asked, search="red", filter="group eq 'y'") == fused("b", "acd")

    def test_each_query_has_its_own_and_the_others_that_of_the_search(self, ask: Ask) -> None:
        one, other = query([1, 0], k=1, filterOverride="group eq 'y'"), query([0, 1], k=1)
        assert ask(one, other, filter="group eq 'x'") == fused("b", "d")
        assert ask(query([1, 0], k=1, filterOverride=""), filter="group eq 'y'") == ask(
            query([1, 0], k=1), filter="group eq 'y'"
        )

    @pytest.mark.parametrize("mode", ["preFilter", "postFilter", "strictPostFilter"])
    def test_it_works_in_every_mode(self, ask: Ask, mode: str) -> None:
        asked = query([1, 0], k=2, filterOverride="group eq 'x' and search.ismatch('giant')")
        assert keys(ask(asked, filter="group eq 'y'", vectorFilterMode=mode)) == ["a"]

    def test_the_count_is_that_of_the_union(self, sky: SearchClient, send: Send) -> None:
        sky.upload_documents([{"id": f"n{n}", "text": "dust", "group": "y"} for n in range(3)])
        body = {
            "count": True,
            "search": "dust giant",
            "filter": "group eq 'y'",
            "vectorQueries": [query([1, 0], k=2, filterOverride="group eq 'x'")],
            "facets": ["group"],
        }
        answer = send("POST", SEARCH, body).json()
        assert answer["@odata.count"] == 5
        assert answer["@search.facets"] == {"group": [{"value": "y", "count": 3}, {"value": "x", "count": 2}]}

    @pytest.mark.parametrize("wrong", ["colour eq 'x'", "group eq", "nothing eq 1", 5])
    def test_a_bad_one_is_refused(self, sky: SearchClient, send: Send, wrong: Any) -> None:
        answer = send("POST", SEARCH, {"vectorQueries": [query([1, 0], filterOverride=wrong)]})
        assert answer.status_code == 400, answer.text()

    def test_the_full_text_searches_of_all_of_them_together_are_bounded(self, sky: SearchClient, send: Send) -> None:
        def asked(first: int) -> dict[str, Any]:
            branches = " or ".join(f"search.ismatch('w{n}')" for n in range(first, first + 60))
            return query([1, 0], filterOverride=branches)

        assert send("POST", SEARCH, {"vectorQueries": [asked(0), asked(0)]}).status_code == 200
        assert send("POST", SEARCH, {"vectorQueries": [asked(0), asked(60)]}).status_code == 400
