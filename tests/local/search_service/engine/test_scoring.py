"""Searches with scoring profiles: the documentation's examples in our own words, and scores that the service gave."""

import math
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from azure.core.rest import HttpResponse
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.definitions.scoring_profile import ScoringFunction, ScoringProfile, Tag
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.store import Store
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import scoring_parameters
from retrieval.local.transport import connect
from tests.local.search_service.conftest import BOATS

Send = Callable[..., HttpResponse]
Hits = Callable[..., list[dict[str, Any]]]

NOW = datetime(2018, 1, 24, 20, 52, 40, tzinfo=UTC)
KEY = {"name": "id", "type": "Edm.String", "key": True, "searchable": False}


@pytest.fixture
def service() -> SearchService:
    return SearchService(clock=lambda: NOW)


@pytest.fixture
def hits(send: Send) -> Hits:
    """The documents that a search of an index finds, in their order."""

    def hits(index: str, *, version: str = "2026-04-01", **body: Any) -> list[dict[str, Any]]:
        answer = send("POST", f"/indexes/{index}/docs/search", {"top": 1000, **body}, version=version)
        assert answer.status_code == 200, answer.text()
        found: list[dict[str, Any]] = answer.json()["value"]
        return found

    return hits


def keys(found: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in found]


def scores(found: list[dict[str, Any]]) -> dict[str, float]:
    return {one["id"]: one["@search.score"] for one in found}


def make(send: Send, name: str, fields: list[Any], documents: list[Any], **more: Any) -> None:
    definition = {"name": name, "fields": [KEY, *fields], **more}
    assert send("POST", "/indexes", definition).status_code == 201
    assert send("POST", f"/indexes/{name}/docs/index", {"value": documents}).status_code == 200


def freshness(interpolation: str, duration: str, boost: float = 10, field: str = "updated") -> dict[str, Any]:
    return {
        "type": "freshness",
        "fieldName": field,
        "boost": boost,
        "interpolation": interpolation,
        "freshness": {"boostingDuration": duration},
    }


def magnitude(field: str, start: float, end: float, boost: float = 3, **more: Any) -> dict[str, Any]:
    measure = {"boostingRangeStart": start, "boostingRangeEnd": end, "constantBoostBeyondRange": more.pop("on", False)}
    return {"type": "magnitude", "fieldName": field, "boost": boost, "magnitude": measure, **more}


def profile(*functions: dict[str, Any], name: str = "p", aggregation: str = "sum") -> dict[str, Any]:
    return {"name": name, "functions": list(functions), "functionAggregation": aggregation}


# Scores that the service gave in January 2018 to copies of one document, by their age in days, for one word: without a
# profile 0.064849, and with a boost of 10 over 15 days. They are about six hours older than their names say.
# Source: a public notebook named "Understanding Interpolation".
RECORDED = 0.064849
LINEAR = {0: 0.638763, 1: 0.599854, 4: 0.483125, 8: 0.327488, 12: 0.171850, 15: 0.064849, 19: 0.064849}
QUADRATIC = {0: 0.629198, 1: 0.555270, 4: 0.364614, 8: 0.183036, 12: 0.084466, 15: 0.064849, 19: 0.064849}


@pytest.mark.parametrize(("interpolation", "recorded"), [("linear", LINEAR), ("quadratic", QUADRATIC)])
def test_freshness_multiplies_scores_as_the_service_was_seen_to(
    send: Send, hits: Hits, interpolation: str, recorded: dict[int, float]
) -> None:
    first = NOW - timedelta(hours=6)
    copies = [
        {"id": str(days), "text": "bakery", "updated": f"{first - timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"}
        for days in recorded
    ]
    fields = [{"name": "text", "type": "Edm.String"}, {"name": "updated", "type": "Edm.DateTimeOffset"}]
    make(send, "copies", fields, copies, scoringProfiles=[profile(freshness(interpolation, "P15D"))])
    plain = scores(hits("copies", search="bakery"))
    boosted = hits("copies", search="bakery", scoringProfile="p")
    assert keys(boosted) == [str(days) for days in recorded]
    for days, score in recorded.items():
        assert scores(boosted)[str(days)] / plain[str(days)] == pytest.approx(score / RECORDED, rel=2e-5)


GEO: dict[str, Any] = {
    "name": "geo",
    "text": {"weights": {"name": 5}},
    "functions": [
        {
            "type": "distance",
            "fieldName": "place",
            "boost": 5,
            "interpolation": "logarithmic",
            "distance": {"referencePointParameter": "currentLocation", "boostingDistance": 10},
        }
    ],
}


def at(longitude: float, latitude: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": [longitude, latitude]}


INNS: list[dict[str, Any]] = [
    {"id": "far", "name": "The Inn", "story": "A quiet house.", "place": at(-120.0, 44.0)},
    {"id": "here", "name": "The Inn", "story": "A quiet house.", "place": at(-122.123, 44.77233)},
    {"id": "near", "name": "The Inn", "story": "A quiet house.", "place": at(-122.123, 44.81)},
    {"id": "nowhere", "name": "The Inn", "story": "A quiet house."},
    {"id": "told", "name": "The House", "story": "A quiet inn.", "place": at(-122.123, 44.77233)},
]


@pytest.fixture
def inns(send: Send) -> None:
    fields = [
        {"name": "name", "type": "Edm.String"},
        {"name": "story", "type": "Edm.String"},
        {"name": "place", "type": "Edm.GeographyPoint"},
    ]
    make(send, "inns", fields, INNS, scoringProfiles=[GEO])


@pytest.mark.usefixtures("inns")
def test_names_and_nearness_boost_and_a_longitude_west_of_greenwich_follows_two_dashes(send: Send, hits: Hits) -> None:
    body = {"search": "inn", "scoringProfile": "geo", "scoringParameters": ["currentLocation--122.123,44.77233"]}
    found = hits("inns", **body)
    assert keys(found)[0] == "here"
    assert [key for key in keys(found) if key != "told"] == ["here", "near", "far", "nowhere"]
    plain, boosted = scores(hits("inns", search="inn")), scores(found)
    assert boosted["here"] / plain["here"] == pytest.approx(25, rel=1e-5)
    assert boosted["told"] / plain["told"] == pytest.approx(5, rel=1e-5)
    assert boosted["far"] / plain["far"] == boosted["nowhere"] / plain["nowhere"] == pytest.approx(5, rel=1e-5)
    left = 1 - 6371.0087714 * math.radians(44.81 - 44.77233) / 10
    assert boosted["near"] / plain["near"] == pytest.approx(5 * (1 + 4 * math.log10(1 + 9 * left)), rel=1e-5)
    query = "search=inn&scoringProfile=geo&scoringParameter=currentLocation--122.123,44.77233&$top=1000"
    assert send("GET", f"/indexes/inns/docs?{query}").json()["value"] == found


@pytest.mark.usefixtures("inns")
@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ([], "'currentLocation', which is missing"),
        (["currentLocation"], "is not a name, a dash and values"),
        (["-1,2"], "is not a name, a dash and values"),
        (["elsewhere-1,2"], "no parameter 'elsewhere'"),
        (["currentLocation-1,2", "elsewhere-1,2"], "no parameter 'elsewhere'"),
        (["currentLocation-1,2", "currentLocation-1,2"], "twice"),
        (["currentLocation-"], "no value"),
        (["currentLocation-1"], "longitude and a latitude"),
        (["currentLocation-1,2,3"], "longitude and a latitude"),
        (["currentLocation-east,2"], "longitude and a latitude"),
        (["currentLocation-1,91"], "outside the globe"),
        (["currentLocation-'1,2"], "not closed"),
        (["currentLocation-" + "1" * 100_000], "longer than"),
        ("currentLocation-1,2", "scoringParameters"),
        ([7], "scoringParameters"),
    ],
)
def test_parameters_that_do_not_fit_the_profile_are_refused(send: Send, parameters: Any, named: str) -> None:
    body = {"search": "inn", "scoringProfile": "geo", "scoringParameters": parameters}
    answer = send("POST", "/indexes/inns/docs/search", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert named in answer.json()["error"]["message"]


def test_a_plain_search_needs_no_parameters_of_the_default_profile(send: Send, hits: Hits) -> None:
    """Functions without their parameter say nothing, and the others go on; who names the profile has to give them."""
    fields = [
        {"name": "name", "type": "Edm.String"},
        {"name": "story", "type": "Edm.String"},
        {"name": "place", "type": "Edm.GeographyPoint"},
        {"name": "updated", "type": "Edm.DateTimeOffset"},
    ]
    profile = {**GEO, "functions": [*GEO["functions"], freshness("constant", "P1D", 3)]}
    documents = [{**one, "updated": "2018-01-24T00:00:00Z"} if one["id"] == "far" else one for one in INNS]
    make(send, "inns", fields, documents, scoringProfiles=[profile], defaultScoringProfile="geo")
    plain = scores(hits("inns", search="inn"))
    assert plain["far"] / plain["here"] == pytest.approx(3, rel=1e-5)
    assert plain["here"] == plain["near"] == plain["nowhere"] > plain["told"]
    assert send("GET", "/indexes/inns/docs?search=inn").status_code == 200
    given = {"scoringParameters": ["currentLocation--122.123,44.77233"]}
    assert keys(hits("inns", search="inn", **given))[0] == "here"
    assert send("POST", "/indexes/inns/docs/search", {"search": "inn", "scoringProfile": "geo"}).status_code == 400


@pytest.mark.usefixtures("inns")
def test_a_profile_that_the_index_has_not_is_refused_as_are_parameters_without_a_profile(send: Send) -> None:
    for body, named in (({"scoringProfile": "other"}, "'other'"), ({"scoringParameters": ["a-1"]}, "no scoring")):
        answer = send("POST", "/indexes/inns/docs/search", {"search": "inn", **body})
        assert answer.status_code == 400
        assert named in answer.json()["error"]["message"]


MUSIC = [
    {"id": "genre", "title": "Long Way", "genre": "Rock", "told": "Loud guitars for evenings.", "artist": "Nobody"},
    {"id": "told", "title": "Short Way", "genre": "Jazz", "told": "Rock and rock and rock again.", "artist": "Nobody"},
    {"id": "title", "title": "Rock", "genre": "Jazz", "told": "Soft horns for mornings.", "artist": "Nobody"},
    {"id": "artist", "title": "No Way", "genre": "Jazz", "told": "Soft horns for mornings.", "artist": "Rock"},
]
MUSIC_FIELDS = [{"name": name, "type": "Edm.String"} for name in ("title", "genre", "told", "artist")]
GENRE = {"name": "boostGenre", "text": {"weights": {"title": 1.5, "genre": 5, "artist": 2}}}


def test_a_weight_multiplies_the_score_of_its_field(send: Send, hits: Hits) -> None:
    make(send, "music", MUSIC_FIELDS, MUSIC, scoringProfiles=[GENRE])
    plain, boosted = hits("music", search="rock"), hits("music", search="rock", scoringProfile="boostGenre")
    assert keys(plain)[0] == "told"
    assert keys(boosted)[0] == "genre"
    for key, weight in (("genre", 5), ("told", 1), ("title", 1.5), ("artist", 2)):
        assert scores(boosted)[key] / scores(plain)[key] == pytest.approx(weight, rel=1e-5)


@pytest.mark.parametrize(
    ("options", "weight"),
    [
        ({"search": '"rock"'}, 5),
        ({"search": "rock loud", "searchMode": "all", "searchFields": "genre"}, None),
        ({"search": "rock", "searchFields": "genre"}, 5),
        ({"search": "genre:rock", "queryType": "full"}, 5),
        ({"search": "rock^3", "queryType": "full"}, 5),
        ({"search": "roc*"}, 1),
    ],
)
def test_weights_hold_in_every_syntax_but_for_patterns(
    send: Send, hits: Hits, options: dict[str, Any], weight: float | None
) -> None:
    make(send, "music", MUSIC_FIELDS, MUSIC, scoringProfiles=[GENRE])
    plain = scores(hits("music", **options))
    boosted = scores(hits("music", scoringProfile="boostGenre", **options))
    if weight is None:
        assert plain == boosted == {}
    else:
        assert boosted["genre"] / plain["genre"] == pytest.approx(weight, rel=1e-5)


ALBUMS: list[dict[str, Any]] = [
    {"id": "old and loved", "updated": "2015-01-01T00:00:00Z", "rating": 5},
    {"id": "new and loved", "updated": "2018-01-24T20:52:40Z", "rating": 5},
    {"id": "new and hated", "updated": "2018-01-24T20:52:40Z", "rating": 1},
    {"id": "unrated", "updated": None, "rating": None},
]
ALBUM_FIELDS = [{"name": "updated", "type": "Edm.DateTimeOffset"}, {"name": "rating", "type": "Edm.Int32"}]


@pytest.mark.parametrize(
    ("boost", "expected"),
    [
        (10, {"old_and_loved": 11.0, "new_and_loved": 20.0, "new_and_hated": 11.0, "unrated": 2.0}),
        (-10, {"old_and_loved": 11.0, "new_and_loved": 0.0, "new_and_hated": -9.0, "unrated": 2.0}),
    ],
)
def test_the_new_and_highly_rated_are_boosted_or_with_a_boost_below_zero_suppressed(
    send: Send, hits: Hits, boost: float, expected: dict[str, float]
) -> None:
    documents = [{**album, "id": album["id"].replace(" ", "_")} for album in ALBUMS]
    both = profile(freshness("quadratic", "P365D", boost), magnitude("rating", 1, 5, 10, interpolation="linear"))
    make(send, "albums", ALBUM_FIELDS, documents, scoringProfiles=[both])
    found = hits("albums", search="*", scoringProfile="p")
    assert scores(found) == expected
    assert [one["@search.score"] for one in found] == sorted(expected.values(), reverse=True)


HOTELS: list[dict[str, Any]] = [
    {"id": "1", "story": "An old hotel by the market.", "rating": 3.6, "rate": 200.0},
    {"id": "2", "story": "A hotel on the square, with music.", "rating": 3.6, "rate": 150.0},
    {"id": "3", "story": "A hotel for those who eat well.", "rating": 4.8, "rate": 350.0},
    {"id": "4", "story": "A palace of a hotel in the old town.", "rating": 4.6, "rate": 275.0},
]
HOTEL_FIELDS = [
    {"name": "story", "type": "Edm.String", "analyzer": "en.lucene"},
    {"name": "rating", "type": "Edm.Double"},
    {"name": "rate", "type": "Edm.Double"},
]
DEAR_AND_GOOD = (magnitude("rating", 1, 5, 2), magnitude("rate", 50, 400, 1.5))


def test_the_default_profile_is_that_of_a_search_without_one_and_a_product_puts_the_best_of_all_first(
    send: Send, hits: Hits
) -> None:
    both = profile(*DEAR_AND_GOOD, aggregation="product")
    make(send, "hotels", HOTEL_FIELDS, HOTELS, scoringProfiles=[both, {"name": "plain"}], defaultScoringProfile="p")
    found = hits("hotels", search="expensive and good hotels")
    assert keys(found)[0] == "3"
    assert found == hits("hotels", search="expensive and good hotels", scoringProfile="p")
    plain = scores(hits("hotels", search="expensive and good hotels", scoringProfile="plain"))
    for hotel in HOTELS:
        factor = (1 + (hotel["rating"] - 1) / 4) * (1 + 0.5 * (hotel["rate"] - 50) / 350)
        assert scores(found)[hotel["id"]] / plain[hotel["id"]] == pytest.approx(factor, rel=1e-5)


@pytest.mark.parametrize(
    ("aggregation", "both", "one", "none"),
    [
        ("sum", 5.0, 4.0, 2.0),
        ("average", 2.5, 2.0, 1.0),
        ("minimum", 2.0, 1.0, 1.0),
        ("maximum", 3.0, 3.0, 1.0),
        ("firstMatching", 2.0, 3.0, 1.0),
        ("product", 6.0, 3.0, 1.0),
    ],
)
def test_the_results_of_functions_are_combined_as_the_profile_says(
    send: Send, hits: Hits, aggregation: str, both: float, one: float, none: float
) -> None:
    functions = (
        magnitude("rating", 4, 5, 2, interpolation="constant"),
        magnitude("rate", 100, 300, 3, interpolation="constant"),
    )
    documents = [
        {"id": "both", "rating": 4.5, "rate": 200.0},
        {"id": "one", "rating": 1.0, "rate": 200.0},
        {"id": "none", "rating": 1.0, "rate": 400.0},
    ]
    more = {"scoringProfiles": [profile(*functions, aggregation=aggregation)]}
    make(send, "hotels", HOTEL_FIELDS, documents, **more)
    found = hits("hotels", search="*", scoringProfile="p")
    assert scores(found) == {"both": both, "one": one, "none": none}


NUMBERS: list[dict[str, Any]] = [
    {"id": "under", "n": 0.5},
    {"id": "start", "n": 1.0},
    {"id": "middle", "n": 3.0},
    {"id": "end", "n": 5.0},
    {"id": "over", "n": 5.5},
    {"id": "endless", "n": "INF"},
    {"id": "undefined", "n": "NaN"},
    {"id": "none", "n": None},
]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (magnitude("n", 1, 5), [1, 1, 2, 3, 1, 1]),
        (magnitude("n", 1, 5, on=True), [1, 1, 2, 3, 3, 3]),
        (magnitude("n", 5, 1), [1, 3, 2, 1, 1, 1]),
        (magnitude("n", 5, 1, on=True), [3, 3, 2, 1, 1, 1]),
        (magnitude("n", 1, 5, interpolation="constant"), [1, 3, 3, 3, 1, 1]),
        (magnitude("n", 1, 5, interpolation="quadratic"), [1, 1, 1.5, 3, 1, 1]),
        (magnitude("n", 1, 5, interpolation="logarithmic"), [1, 1, 1 + 2 * math.log10(5.5), 3, 1, 1]),
    ],
)
def test_a_number_boosts_more_the_nearer_it_is_to_the_end_of_the_range(
    send: Send, hits: Hits, function: dict[str, Any], expected: list[float]
) -> None:
    make(send, "numbers", [{"name": "n", "type": "Edm.Double"}], NUMBERS, scoringProfiles=[profile(function)])
    found = scores(hits("numbers", search="*", scoringProfile="p"))
    assert [found[str(one["id"])] for one in NUMBERS] == pytest.approx([*expected, 1, 1])


@pytest.mark.parametrize(
    ("duration", "expected"), [("P2D", [1, 1, 3, 2, 1]), ("-P2D", [1, 2, 3, 1, 1]), ("PT24H", [1, 1, 3, 1, 1])]
)
def test_freshness_ends_at_now_from_the_past_or_with_a_sign_from_what_is_ahead(
    send: Send, hits: Hits, duration: str, expected: list[float]
) -> None:
    moments = [NOW + timedelta(days=days) for days in (3, 1, 0, -1, -3)]
    documents = [{"id": str(n), "updated": f"{one:%Y-%m-%dT%H:%M:%SZ}"} for n, one in enumerate(moments)]
    make(send, "events", ALBUM_FIELDS, documents, scoringProfiles=[profile(freshness("linear", duration, 3))])
    found = scores(hits("events", search="*", scoringProfile="p"))
    assert [found[str(n)] for n in range(5)] == pytest.approx(expected)


TAGGED: list[dict[str, Any]] = [
    {"id": "greeting", "tags": ["Hello, O'Brien"], "maker": "B-1"},
    {"id": "smith", "tags": ["Smith", "Jones"], "maker": "A"},
    {"id": "other", "tags": ["smith"], "maker": None},
]
TAG_FIELDS = [{"name": "tags", "type": "Collection(Edm.String)"}, {"name": "maker", "type": "Edm.String"}]


def tag(field: str, parameter: str) -> dict[str, Any]:
    return {"type": "tag", "fieldName": field, "boost": 4, "tag": {"tagsParameter": parameter}}


@pytest.mark.parametrize(
    ("parameter", "boosted"),
    [
        ("mytag-'Hello, O''Brien',Smith", {"greeting", "smith"}),
        ("mytag-Smith,Jones", {"smith"}),
        ("mytag- Smith , 'Jones' ", {"smith"}),
        ("mytag-smith", {"other"}),
        ("mytag-Hello, O'Brien", set()),
        ("mytag-'',Smith,", {"smith"}),
    ],
)
def test_a_tag_that_document_and_search_have_in_common_boosts_once(
    send: Send, hits: Hits, parameter: str, boosted: set[str]
) -> None:
    make(send, "tagged", TAG_FIELDS, TAGGED, scoringProfiles=[profile(tag("tags", "mytag"))])
    found = scores(hits("tagged", search="*", scoringProfile="p", scoringParameters=[parameter]))
    assert found == {one["id"]: 4.0 if one["id"] in boosted else 1.0 for one in TAGGED}


def test_get_repeats_its_parameters_and_names_and_values_may_hold_dashes(send: Send) -> None:
    functions = (tag("tags", "my"), tag("maker", "my-maker"))
    make(send, "tagged", TAG_FIELDS, TAGGED, scoringProfiles=[profile(*functions, aggregation="maximum")])
    query = "search=*&scoringProfile=p&scoringParameter=my-maker-B-1&scoringParameter=my-Jones"
    found = send("GET", f"/indexes/tagged/docs?{query}").json()["value"]
    assert scores(found) == {"greeting": 4.0, "smith": 4.0, "other": 1.0}


MYTAG = ScoringProfile(
    name="p", functions=(ScoringFunction(path="tags", boost=2, curve="linear", measure=Tag("mytag")),)
)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5))
def test_values_in_quotes_are_read_as_they_were_written(values: list[str]) -> None:
    written = ",".join("'" + value.replace("'", "''") + "'" for value in values)
    assert scoring_parameters.read([f"mytag-{written}"], MYTAG) == {"mytag": tuple(values)}


def test_the_sdk_sends_profiles_and_parameters(service: SearchService, send: Send) -> None:
    make(send, "tagged", TAG_FIELDS, TAGGED, scoringProfiles=[profile(tag("tags", "mytag"))])
    client = SearchClient(index_name="tagged", **connect(service))
    found = client.search("*", scoring_profile="p", scoring_parameters=["mytag-Jones"])
    assert {one["id"]: one["@search.score"] for one in found} == {"greeting": 1.0, "smith": 4.0, "other": 1.0}


def test_every_match_is_boosted_and_not_only_the_best_by_text(send: Send, hits: Hits) -> None:
    documents = [{"id": f"x{n}", "story": "hotel " * 5, "rating": 0.0} for n in range(300)]
    documents.append({"id": "best", "story": "hotel " + "and so on " * 50, "rating": 5.0})
    more = {"scoringProfiles": [profile(magnitude("rating", 0, 5, 50))]}
    make(send, "hotels", HOTEL_FIELDS, documents, **more)
    assert keys(hits("hotels", search="hotel", top=301))[-1] == "best"
    assert keys(hits("hotels", search="hotel", scoringProfile="p", top=1)) == ["best"]
    assert keys(hits("hotels", search="hotel", scoringProfile="p", top=1, filter="rating ge 0")) == ["best"]
    pages = [hits("hotels", search="hotel", scoringProfile="p", top=100, skip=skip) for skip in (0, 100, 200, 300)]
    assert [one for page in pages for one in keys(page)] == ["best", *(f"x{n}" for n in range(300))]


def test_the_order_the_count_and_searches_within_filters_see_the_boosted_scores(send: Send) -> None:
    make(send, "hotels", HOTEL_FIELDS, HOTELS, scoringProfiles=[profile(magnitude("rating", 1, 5, 50))])
    body = {"search": "hotel", "scoringProfile": "p", "orderby": "search.score() asc", "count": True, "top": 2}
    answer = send("POST", "/indexes/hotels/docs/search", body).json()
    assert answer["@odata.count"] == 4
    assert keys(answer["value"]) in (["1", "2"], ["2", "1"])
    body = {"filter": "search.ismatchscoring('hotel', 'story')", "scoringProfile": "p"}
    assert set(keys(send("POST", "/indexes/hotels/docs/search", body).json()["value"])[:2]) == {"3", "4"}


def test_what_changes_in_documents_and_profiles_changes_the_scores(send: Send, hits: Hits) -> None:
    definition = {"name": "hotels", "fields": [KEY, *HOTEL_FIELDS]}
    make(send, "hotels", HOTEL_FIELDS, HOTELS)
    boosted = {**definition, "scoringProfiles": [profile(magnitude("rating", 1, 5, 5))]}
    assert send("PUT", "/indexes/hotels", boosted).status_code == 204
    assert scores(hits("hotels", search="*", scoringProfile="p"))["3"] == pytest.approx(4.8)
    changes = [
        {"@search.action": "merge", "id": "3", "rating": None},
        {"@search.action": "merge", "id": "1", "rating": 5.0},
        {"@search.action": "delete", "id": "4"},
    ]
    assert send("POST", "/indexes/hotels/docs/index", {"value": changes}).status_code == 200
    found = scores(hits("hotels", search="*", scoringProfile="p"))
    assert found == {"1": 5.0, "2": pytest.approx(3.6), "3": 1.0}


def test_documents_that_are_written_again_and_again_keep_their_scores(send: Send, hits: Hits) -> None:
    functions = (magnitude("n", 0, 100, 101), tag("tags", "mytag"))
    fields = [{"name": "n", "type": "Edm.Int32"}, TAG_FIELDS[0]]
    more = {"scoringProfiles": [profile(*functions, aggregation="product")]}
    make(send, "numbers", fields, [{"id": "first"}], **more)
    for turn in range(12):
        rows = [{"id": str(n), "n": n + turn, "tags": ["even" if (n + turn) % 2 == 0 else "odd"]} for n in range(40)]
        gone = [{"@search.action": "delete", "id": key} for key in (str(turn), "39", "first")]
        assert send("POST", "/indexes/numbers/docs/index", {"value": [*rows, *gone]}).status_code == 200
        found = scores(hits("numbers", search="*", scoringProfile="p", scoringParameters=["mytag-even"]))
        left = [n for n in range(39) if n != turn]
        assert found == {str(n): (1 + n + turn) * (4 if (n + turn) % 2 == 0 else 1) for n in left}


def test_a_profile_outlives_the_process_with_its_index(tmp_path: Path) -> None:
    definition = {**BOATS, "scoringProfiles": [profile(magnitude("crew", 0, 10, 2))], "defaultScoringProfile": "p"}
    found = []
    for is_first in (True, False):
        store = Store(tmp_path)
        service = SearchService(catalog=Catalog(store))
        client = SearchClient(index_name="boats", **connect(service))
        if is_first:
            SearchIndexClient(**connect(service)).create_index(SearchIndex(definition))
            client.upload_documents([{"id": "1", "crew": 5}, {"id": "2", "crew": 10}])
        found.append([(one["id"], one["@search.score"]) for one in client.search("*")])
        store.close()
    assert found == [[("2", 2.0), ("1", 1.5)]] * 2


VECTORS = {
    "profiles": [{"name": "v", "algorithm": "a"}],
    "algorithms": [{"name": "a", "kind": "hnsw", "hnswParameters": {"metric": "cosine"}}],
}
VECTOR_FIELD = {"name": "v", "type": "Collection(Edm.Single)", "dimensions": 2, "vectorSearchProfile": "v"}
ROOMS = [
    {"id": "1", "story": "hotel hotel hotel", "rating": 1.0, "v": [1, 0]},
    {"id": "2", "story": "hotel and a garden", "rating": 3.0, "v": [1, 1]},
    {"id": "3", "story": "a garden", "rating": 5.0, "v": [0, 1]},
]


@pytest.fixture
def rooms(send: Send) -> None:
    more = {
        "vectorSearch": VECTORS,
        "scoringProfiles": [
            profile(magnitude("rating", 1, 5, 3)),
            {"name": "weighted", "text": {"weights": {"story": 9}}},
        ],
        "semantic": {
            "configurations": [
                {"name": "both", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "story"}]}},
                {
                    "name": "ranker",
                    "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "story"}]},
                    "rankingOrder": "RerankerScore",
                },
            ]
        },
    }
    make(send, "rooms", [*HOTEL_FIELDS, VECTOR_FIELD], ROOMS, **more)


NEAR = {"vectorQueries": [{"kind": "vector", "vector": [1, 0], "fields": "v", "k": 3}]}
FACTORS = {"1": 1.0, "2": 2.0, "3": 3.0}


@pytest.mark.usefixtures("rooms")
def test_functions_multiply_the_score_of_a_vector_query_and_of_what_was_fused(hits: Hits) -> None:
    for options in (NEAR, {**NEAR, "search": "hotel"}):
        plain = scores(hits("rooms", **options))
        boosted = hits("rooms", scoringProfile="p", **options)
        assert scores(boosted) == pytest.approx({key: plain[key] * FACTORS[key] for key in plain})
        assert list(scores(boosted).values()) == sorted(scores(boosted).values(), reverse=True)
    assert keys(hits("rooms", scoringProfile="p", **NEAR, search="hotel")) != keys(
        hits("rooms", **NEAR, search="hotel")
    )


@pytest.mark.usefixtures("rooms")
def test_a_profile_says_which_thousand_texts_are_fused_and_leaves_them_in_their_order(send: Send, hits: Hits) -> None:
    many = [{"id": f"x{n}", "story": "hotel hotel", "rating": 1.0} for n in range(1000)]
    last = {"id": "last", "story": "hotel and a garden", "rating": 5.0}
    gone = [{"@search.action": "delete", "id": one["id"]} for one in ROOMS]
    far = {"id": "far", "story": "sea", "rating": 1.0, "v": [0, 1]}
    for batch in (many, [last, far, *gone]):
        assert send("POST", "/indexes/rooms/docs/index", {"value": batch}).status_code == 200
    plain = hits("rooms", search="hotel", **NEAR) + hits("rooms", search="hotel", skip=1000, **NEAR)
    assert "last" not in keys(plain)
    boosted = hits("rooms", search="hotel", scoringProfile="p", **NEAR)
    assert scores(boosted)["last"] == pytest.approx(3 / (60 + 999))


@pytest.mark.usefixtures("rooms")
def test_weights_change_nothing_of_a_vector_query(hits: Hits) -> None:
    assert hits("rooms", scoringProfile="weighted", **NEAR) == hits("rooms", **NEAR)


RANKED = {"search": "hotel garden", "queryType": "semantic", "semanticConfiguration": "both"}


@pytest.mark.usefixtures("rooms")
def test_after_the_semantic_ranker_the_functions_boost_its_scores_too(hits: Hits) -> None:
    found = hits("rooms", scoringProfile="p", **RANKED)
    for one in found:
        expected = one["@search.rerankerScore"] * FACTORS[one["id"]]
        assert one["@search.rerankerBoostedScore"] == pytest.approx(expected)
    boosted = [one["@search.rerankerBoostedScore"] for one in found]
    assert boosted == sorted(boosted, reverse=True)
    kept = hits("rooms", scoringProfile="p", **{**RANKED, "semanticConfiguration": "ranker"})
    reranked = [one["@search.rerankerScore"] for one in kept]
    assert reranked == sorted(reranked, reverse=True)
    assert all("@search.rerankerBoostedScore" in one for one in kept)
    assert keys(kept) != keys(found)


@pytest.mark.usefixtures("rooms")
def test_older_versions_weights_and_searches_without_a_profile_know_no_boosted_score(hits: Hits) -> None:
    for options, version in (
        ({"scoringProfile": "p"}, "2024-07-01"),
        ({"scoringProfile": "weighted"}, "2026-04-01"),
        ({}, "2026-04-01"),
    ):
        found = hits("rooms", version=version, **RANKED, **options)
        assert len(found) == 3
        assert not any("@search.rerankerBoostedScore" in one for one in found)


@pytest.mark.parametrize("aggregation", ["sum", "average", "minimum", "maximum", "firstMatching", "product"])
def test_scores_stay_numbers_whatever_the_boosts(send: Send, hits: Hits, aggregation: str) -> None:
    functions = [magnitude("n", 1, 5, boost) for boost in (1.7e308, 1.7e308, -1.7e308)]
    more = {"scoringProfiles": [profile(*functions, aggregation=aggregation)]}
    make(send, "numbers", [{"name": "n", "type": "Edm.Double"}], NUMBERS, **more)
    found = hits("numbers", search="*", scoringProfile="p")
    assert len(found) == len(NUMBERS)
    assert all(math.isfinite(one["@search.score"]) for one in found)


@pytest.mark.parametrize("value", ["'" * 99_000, "'a'" * 33_000, " " * 99_000, ", " * 49_000, "x," * 49_000])
def test_hostile_parameters_take_no_time(send: Send, value: str) -> None:
    make(send, "tagged", TAG_FIELDS, TAGGED, scoringProfiles=[profile(tag("tags", "mytag"))])
    body = {"search": "*", "scoringProfile": "p", "scoringParameters": [f"mytag-{value}"]}
    before = time.process_time()
    assert send("POST", "/indexes/tagged/docs/search", body).status_code in (200, 400)
    assert time.process_time() - before < 0.5


@given(st.lists(st.text(max_size=20), max_size=3))
def test_any_parameters_are_read_or_refused(texts: list[str]) -> None:
    try:
        assert scoring_parameters.read([f"mytag-{text}" for text in texts], MYTAG).keys() == {"mytag"}
    except InvalidArgument as error:
        assert "scoring" in error.message
