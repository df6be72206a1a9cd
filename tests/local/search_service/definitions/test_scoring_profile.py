"""Scoring profiles in index definitions: kept as they were sent, and refused with a reason where they cannot be."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from azure.core.rest import HttpResponse
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import (
    DistanceScoringFunction,
    DistanceScoringParameters,
    FreshnessScoringFunction,
    FreshnessScoringParameters,
    MagnitudeScoringFunction,
    MagnitudeScoringParameters,
    ScoringProfile,
    TagScoringFunction,
    TagScoringParameters,
    TextWeights,
)

from tests.local.search_service.conftest import BOATS, holds

Send = Callable[..., HttpResponse]

PROFILE = {
    "name": "everything",
    "text": {"weights": {"name": 2.5}},
    "functionAggregation": "sum",
    "functions": [
        {"type": "freshness", "fieldName": "launched", "boost": 2, "freshness": {"boostingDuration": "P7D"}},
        {
            "type": "magnitude",
            "fieldName": "crew",
            "boost": 1.5,
            "interpolation": "quadratic",
            "magnitude": {"boostingRangeStart": 1, "boostingRangeEnd": 9, "constantBoostBeyondRange": True},
        },
        {
            "type": "distance",
            "fieldName": "berth",
            "boost": 2,
            "interpolation": "logarithmic",
            "distance": {"referencePointParameter": "here", "boostingDistance": 10},
        },
        {
            "type": "tag",
            "fieldName": "tags",
            "boost": -2,
            "interpolation": "constant",
            "tag": {"tagsParameter": "mine"},
        },
    ],
}


def test_profiles_and_the_default_are_given_back_as_they_were_sent(boats: SearchClient, send: Send) -> None:
    more = {"scoringProfiles": [PROFILE, {"name": "plain"}], "defaultScoringProfile": "plain"}
    assert send("PUT", "/indexes/boats", {**BOATS, **more}).status_code == 204
    assert holds(send("GET", "/indexes/boats").json(), more)
    assert boats.get_document_count() == 4


def test_the_sdk_reads_the_profiles_that_it_wrote(indexes: SearchIndexClient, boats: SearchClient) -> None:
    index = indexes.get_index("boats")
    functions = [
        FreshnessScoringFunction(
            field_name="launched",
            boost=3,
            parameters=FreshnessScoringParameters(boosting_duration=timedelta(days=30, hours=5, seconds=6.334)),
            interpolation="quadratic",
        ),
        MagnitudeScoringFunction(
            field_name="length",
            boost=2,
            parameters=MagnitudeScoringParameters(
                boosting_range_start=30, boosting_range_end=10, should_boost_beyond_range_by_constant=True
            ),
        ),
        DistanceScoringFunction(
            field_name="berth",
            boost=5,
            parameters=DistanceScoringParameters(reference_point_parameter="here", boosting_distance=10),
        ),
        TagScoringFunction(field_name="tags", boost=2, parameters=TagScoringParameters(tags_parameter="mine")),
    ]
    index.scoring_profiles = [
        ScoringProfile(
            name="mine",
            text_weights=TextWeights(weights={"name": 4.0}),
            functions=functions,
            function_aggregation="firstMatching",
        )
    ]
    index.default_scoring_profile = "mine"
    indexes.create_or_update_index(index)
    read = indexes.get_index("boats")
    assert read.scoring_profiles
    profile = read.scoring_profiles[0]
    assert [type(one) for one in profile.functions or ()] == [type(one) for one in functions]
    assert holds([profile.as_dict()], [one.as_dict() for one in index.scoring_profiles])
    assert read.default_scoring_profile == "mine"


def function(kind: str, field: str, inner: Any, **more: Any) -> dict[str, Any]:
    return {"name": "p", "functions": [{"type": kind, "fieldName": field, "boost": 2, kind: inner, **more}]}


FROM_1_TO_2 = {"boostingRangeStart": 1, "boostingRangeEnd": 2}
MINE = {"tagsParameter": "mine"}


@pytest.mark.parametrize(
    ("profile", "named"),
    [
        ({"name": ""}, "name"),
        ({"name": "p", "boost": 2}, "unknown property"),
        ({"name": "p", "text": {"weights": {"crew": 1}}}, "'crew'"),
        ({"name": "p", "text": {"weights": {"nothing": 1}}}, "'nothing'"),
        ({"name": "p", "text": {"weights": {"name": 0}}}, "above 0"),
        ({"name": "p", "text": {"weights": {"name": 1e7}}}, "1e6"),
        ({"name": "p", "text": {"weights": {"name": "5"}}}, "weights"),
        ({"name": "p", "functionAggregation": "all"}, "functionAggregation"),
        (function("tag", "crew", MINE), "Edm.String"),
        (function("tag", "story", MINE), "filterable"),
        (function("tag", "tags", {}), "tagsParameter"),
        (function("tag", "tags", {"tagsParameter": ""}), "tagsParameter"),
        (function("tag", "tags", MINE, interpolation="quadratic"), "quadratic"),
        (function("tag", "tags", MINE, interpolation="logarithmic"), "logarithmic"),
        (function("tag", "tags", None), "without its own parameters"),
        (function("tag", "tags", MINE, magnitude=FROM_1_TO_2), "another type"),
        (function("Tag", "tags", MINE), "type"),
        (function("magnitude", "name", FROM_1_TO_2), "Edm.Double"),
        (function("magnitude", "depths", FROM_1_TO_2), "several values"),
        (function("magnitude", "crew", {"boostingRangeStart": 1}), "boostingRangeEnd"),
        (function("magnitude", "crew", {"boostingRangeStart": 2, "boostingRangeEnd": 2}), "range"),
        (function("magnitude", "crew", {"boostingRangeStart": -1e308, "boostingRangeEnd": 1e308}), "range"),
        (function("magnitude", "crew", FROM_1_TO_2, boost=1), "boost"),
        (function("magnitude", "crew", FROM_1_TO_2, boost=0), "boost"),
        (function("magnitude", "crew", FROM_1_TO_2, boost=None), "boost"),
        (function("magnitude", "crew", FROM_1_TO_2, interpolation="cubic"), "interpolation"),
        (function("freshness", "crew", {"boostingDuration": "P1D"}), "Edm.DateTimeOffset"),
        (function("freshness", "launched", {"boostingDuration": "365D"}), "'365D'"),
        (function("freshness", "launched", {"boostingDuration": "P1Y"}), "'P1Y'"),
        (function("freshness", "launched", {"boostingDuration": "P"}), "'P'"),
        (function("freshness", "launched", {"boostingDuration": "PT"}), "'PT'"),
        (function("freshness", "launched", {"boostingDuration": "P1DT"}), "'P1DT'"),
        (function("freshness", "launched", {"boostingDuration": "P0D"}), "'P0D'"),
        (function("freshness", "launched", {"boostingDuration": "P" + "9" * 5000 + "D"}), "boostingDuration"),
        (function("distance", "name", {"referencePointParameter": "h", "boostingDistance": 1}), "Edm.GeographyPoint"),
        (function("distance", "berth", {"referencePointParameter": "here"}), "boostingDistance"),
        (function("distance", "berth", {"referencePointParameter": "h", "boostingDistance": 0}), "boostingDistance"),
        ({"name": "p", "functions": function("tag", "tags", MINE)["functions"] * 101}, "101"),
    ],
)
def test_a_profile_that_cannot_be_is_refused_with_the_reason(send: Send, profile: dict[str, Any], named: str) -> None:
    depths = {"name": "depths", "type": "Collection(Edm.Double)"}
    definition = {**BOATS, "fields": [*BOATS["fields"], depths], "scoringProfiles": [profile]}
    answer = send("POST", "/indexes", definition)
    assert answer.status_code == 400, answer.text()
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert named in answer.json()["error"]["message"]


@pytest.mark.parametrize("duration", ["P1D", "P2DT12H", "PT15M", "P30DT5H10M6.334S", "-P14D", "P365D"])
def test_the_documented_durations_are_taken(send: Send, duration: str) -> None:
    profile = function("freshness", "launched", {"boostingDuration": duration})
    assert send("POST", "/indexes", {**BOATS, "scoringProfiles": [profile]}).status_code == 201


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"scoringProfiles": [{"name": "p"}, {"name": "p"}]}, "name of its own"),
        ({"scoringProfiles": [{"name": f"p{n}"} for n in range(101)]}, "100"),
        ({"scoringProfiles": [{"name": "p"}], "defaultScoringProfile": "q"}, "'q'"),
    ],
)
def test_profiles_that_do_not_fit_together_are_refused(send: Send, change: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes", {**BOATS, **change})
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]


def test_the_aggregation_product_is_for_versions_that_have_it(send: Send) -> None:
    definition = {**BOATS, "scoringProfiles": [{"name": "p", "functionAggregation": "product"}]}
    for version in ("2024-07-01", "2025-09-01", "2025-05-01-preview"):
        error = send("POST", "/indexes", definition, version=version).json()["error"]
        assert error["code"] == "UnsupportedByLocalSearch"
        assert "product" in error["message"]
    assert send("POST", "/indexes", definition, version="2026-04-01").status_code == 201


def test_the_order_after_semantic_ranking_is_one_of_two(send: Send) -> None:
    configuration = BOATS["semantic"]["configurations"][0]
    for order, status in (("boostedReRankerScore", 201), ("RerankerScore", 204), ("score", 400)):
        semantic = {"configurations": [{**configuration, "rankingOrder": order}]}
        assert send("PUT", "/indexes/boats", {**BOATS, "semantic": semantic}).status_code == status
