"""Order, facets, highlights, coverage, pages, and searches by GET."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from azure.search.documents import SearchClient
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.definitions.index import parse
from retrieval.local.search_service.engine import ordering
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import matching
from retrieval.local.search_service.text import passages
from tests.local.search_service.conftest import BOATS, Found, Send

SEARCH = "/indexes/boats/docs/search"

HERE = "geography'POINT(-6.19 55.63)'"
AWAY = [
    {
        "id": "5",
        "name": "Near",
        "berth": {"type": "Point", "coordinates": [-6.2, 55.6]},
        "launched": "2001-07-09T12:00Z",
    },
    {
        "id": "6",
        "name": "Far",
        "berth": {"type": "Point", "coordinates": [10.0, 50.0]},
        "launched": "2001-08-01T00:00Z",
    },
]


@pytest.fixture
def placed(boats: SearchClient) -> SearchClient:
    boats.upload_documents(AWAY)
    return boats


@pytest.mark.parametrize(
    ("order", "keys"),
    [
        ("length", ["3", "4", "1", "2"]),
        ("length asc", ["3", "4", "1", "2"]),
        ("length desc", ["2", "1", "3", "4"]),
        ("crew desc", ["3", "2", "1", "4"]),
        ("name", ["2", "3", "4", "1"]),
        ("harbour desc,crew", ["2", "3", "1", "4"]),
        ("harbour , crew desc", ["4", "1", "3", "2"]),
        ("afloat", ["4", "3", "1", "2"]),
        ("launched desc", ["2", "1", "3", "4"]),
        ("search.score()", ["1", "2", "3", "4"]),
    ],
)
def test_an_order(found: Found, order: str, keys: list[str]) -> None:
    assert found("*", order_by=order.split(",")) == keys


def test_equal_documents_follow_one_another_by_score(found: Found) -> None:
    by_score = found("lamp anchor engine wooden punt")
    assert found("lamp anchor engine wooden punt", order_by=["search.score() desc"]) == by_score
    assert found("lamp anchor engine wooden punt", order_by=["secret"])[:-1] == [key for key in by_score if key != "1"]


def test_an_order_by_distance(placed: SearchClient) -> None:
    for clause in (f"geo.distance(berth, {HERE})", f"geo.distance({HERE},berth) asc"):
        keys = [hit["id"] for hit in placed.search("*", filter="berth ne null", order_by=[clause])]
        assert keys == ["5", "6"]
    assert [hit["id"] for hit in placed.search("*", order_by=[f"geo.distance(berth, {HERE}) desc"])][:2] == ["6", "5"]


def test_the_page_is_cut_after_the_order(found: Found, boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n:03}", "crew": 1000 + n * 7 % 300} for n in range(300)])
    assert found("*", order_by=["crew desc"], top=2) == ["x257", "x214"]
    keys = found("*", order_by=["crew desc"])
    assert len(keys) == 304
    assert keys[-2:] == ["1", "4"]


@pytest.mark.parametrize(
    "order",
    ["nothing", "tags", "story desc asc", "crew,", ",", "crew descending", "geo.distance(crew, POINT(1 1))", "berth",
     f"geo.distance(crew, {HERE})", "geo.distance(berth, geography'POINT(181 0)')", "search.score", "crew eq 4"],
)  # fmt: skip
def test_an_order_that_is_none_is_refused(boats: SearchClient, send: Send, order: str) -> None:
    answer = send("POST", SEARCH, {"orderby": order})
    assert answer.status_code == 400
    assert "orderby" in answer.json()["error"]["message"]


def test_thirty_two_clauses_are_an_order_and_thirty_three_are_not(boats: SearchClient, send: Send) -> None:
    assert send("POST", SEARCH, {"orderby": ",".join(["crew"] * 32)}).status_code == 200
    assert send("POST", SEARCH, {"orderby": ",".join(["crew"] * 33)}).status_code == 400
    semantic = send("POST", SEARCH, {"search": "lamp", "queryType": "semantic", "orderby": "crew"})
    assert semantic.status_code == 400


class Row:
    def __init__(self, ordinal: int, score: float) -> None:
        self.ordinal = ordinal
        self.score = score


values = st.none() | st.integers(-3, 3)


@given(st.lists(st.tuples(values, values, st.sampled_from([1.0, 2.0])), max_size=12), st.booleans(), st.booleans())
def test_an_order_is_the_order_of_its_keys(rows: list[tuple[Any, Any, float]], one: bool, other: bool) -> None:
    fields = parse(BOATS).paths
    clauses = ordering.read(f"crew {'desc' if one else 'asc'},length {'desc' if other else 'asc'}", fields)
    documents = [{"crew": crew, "length": length} for crew, length, _ in rows]
    found = [Row(place, score) for place, (_, _, score) in enumerate(rows)]

    def rank(row: Row) -> tuple[Any, ...]:
        return (*_rank(rows[row.ordinal][0], one), *_rank(rows[row.ordinal][1], other), -row.score, row.ordinal)

    got = ordering.ordered(found, clauses, documents.__getitem__)
    assert [row.ordinal for row in got] == [row.ordinal for row in sorted(found, key=rank)]


def _rank(value: int | None, descending: bool) -> tuple[bool, int]:
    if value is None:
        return descending, 0
    return not descending, -value if descending else value


def facet(client: SearchClient, expression: str, **options: Any) -> list[tuple[Any, ...]]:
    facets = client.search(options.pop("text", "*"), facets=[expression], **options).get_facets()
    assert facets is not None
    (found,) = facets.values()
    return [tuple(one.values()) for one in found]


@pytest.mark.parametrize(
    ("expression", "counts"),
    [
        ("tags", [("wood", 2), ("motor", 1), ("sail", 1), ("steel", 1)]),
        ("tags,count:1", [("wood", 2)]),
        ("tags,sort:value", [("motor", 1), ("sail", 1), ("steel", 1), ("wood", 2)]),
        ("tags, sort:-value, count:2", [("wood", 2), ("steel", 1)]),
        ("tags,sort:-count", [("motor", 1), ("sail", 1), ("steel", 1), ("wood", 2)]),
        ("harbour", [("Tarbert", 2), ("Port Ellen", 1)]),
        ("crew", [(4, 1), (6, 1), (7, 1)]),
        ("afloat", [(True, 2), (False, 1)]),
        ("launched", [("1911-05-02T00:00:00Z", 1), ("1974-09-30T08:00:00Z", 1)]),
        ("crew,interval:5", [(0, 1), (5, 2)]),
        ("length,interval:10", [(10.0, 1), (20.0, 1)]),
        ("launched,interval:year", [("1911-01-01T00:00:00Z", 1), ("1974-01-01T00:00:00Z", 1)]),
        ("launched,interval:quarter", [("1911-04-01T00:00:00Z", 1), ("1974-07-01T00:00:00Z", 1)]),
        ("launched,interval:month,timeoffset:-01:00", [("1911-05-01T01:00:00Z", 1), ("1974-09-01T01:00:00Z", 1)]),
        ("launched,interval:hour", [("1911-05-02T00:00:00Z", 1), ("1974-09-30T08:00:00Z", 1)]),
        ("crew,values:6|7", [(6, 1), (6, 7, 1), (7, 1)]),
        ("crew,values:100", [(100, 3), (100, 0)]),
        (
            "launched,values:1950-01-01T00:00:00Z",
            [("1950-01-01T00:00:00Z", 1), ("1950-01-01T00:00:00Z", 1)],
        ),
    ],
)
def test_a_facet_counts(boats: SearchClient, expression: str, counts: list[tuple[Any, ...]]) -> None:
    assert facet(boats, expression) == counts


def test_ranges_say_from_and_to(boats: SearchClient, send: Send) -> None:
    facets = send("POST", SEARCH, {"facets": ["crew,values:6|7"]}).json()["@search.facets"]
    assert facets == {"crew": [{"to": 6, "count": 1}, {"from": 6, "to": 7, "count": 1}, {"from": 7, "count": 1}]}


def test_facets_count_everything_found_and_not_the_page_only(boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n}", "harbour": f"h{n % 12:02}", "crew": n} for n in range(240)])
    counts = facet(boats, "harbour", filter="crew ge 120", top=1)
    assert counts == [(f"h{n:02}", 10) for n in range(10)]
    assert len(facet(boats, "harbour,count:0")) == 14
    assert facet(boats, "harbour", text="lamp", top=1) == [("Tarbert", 1)]


@pytest.mark.parametrize(
    "expression",
    ["nothing", "berth", "crew,count:x", "crew,count:-1", "crew,sort:size", "crew,count:1,count:2", "crew,top:3",
     "crew,interval:0", "crew,interval:day", "launched,interval:decade", "harbour,interval:5", "harbour,values:a",
     "crew,values:6|5", "crew,values:x", "crew,values:nan", "crew,interval:5,count:3", "crew,interval:5,values:3",
     "crew,timeoffset:+01:00", "launched,interval:day,timeoffset:1", "", "crew,count"],
)  # fmt: skip
def test_a_facet_that_is_none_is_refused(boats: SearchClient, send: Send, expression: str) -> None:
    answer = send("POST", SEARCH, {"facets": [expression]})
    assert answer.status_code == 400, answer.text()
    assert "acet" in answer.json()["error"]["message"]


def test_two_facets_on_one_field_are_refused(boats: SearchClient, send: Send) -> None:
    assert send("POST", SEARCH, {"facets": ["crew", "crew,sort:value"]}).status_code == 400


def highlighted(client: SearchClient, text: str, fields: str, **options: Any) -> dict[str, Any]:
    return {hit["id"]: hit["@search.highlights"] for hit in client.search(text, highlight_fields=fields, **options)}


def test_highlights_are_passages_with_tags(boats: SearchClient) -> None:
    assert highlighted(boats, "engine winches", "story") == {
        "2": {"story": ["Its well-known <em>winch</em> lifts nets from deep water, and its <em>engine</em> is loud."]},
        "1": {"story": [FIRST_STORY.replace("engines", "<em>engines</em>")]},
    }


FIRST_STORY = "A wooden ketch that carried salt and slate along the coast before engines came."


def test_highlights_of_several_fields_with_other_tags(boats: SearchClient) -> None:
    found = highlighted(
        boats, "wood*", "story-1,tags", highlight_pre_tag="<b>", highlight_post_tag="</b>", filter="id eq '1'"
    )
    assert found == {"1": {"story": [FIRST_STORY.replace("wooden", "<b>wooden</b>")], "tags": ["<b>wood</b>"]}}


def test_a_phrase_is_marked_as_a_whole_and_nothing_else(boats: SearchClient) -> None:
    found = highlighted(boats, '"deep water"', "story")
    assert found == {
        "2": {"story": ["Its well-known winch lifts nets from <em>deep</em> <em>water</em>, and its engine is loud."]}
    }


@pytest.mark.parametrize(
    ("text", "marked"),
    [("ketsh~1", "ketch"), ("k?tc*", "ketch"), ("*inch AND story:lifts", "winch"), ("lamp -ketch", "lamp")],
)
def test_patterns_are_marked_and_what_is_negated_is_not(boats: SearchClient, text: str, marked: str) -> None:
    found = highlighted(boats, text, "story", query_type="full")
    assert len(found) == 1
    assert f"<em>{marked}</em>" in str(found)


def test_a_number_limits_the_passages_to_the_best(boats: SearchClient) -> None:
    story = "One buoy here. A bell there. A red buoy with a bell. No light. Another buoy."
    boats.upload_documents([{"id": "9", "story": story}])
    found = highlighted(boats, "buoy bell", "story-2", filter="id eq '9'")
    assert found == {"9": {"story": ["One <em>buoy</em> here.", "A red <em>buoy</em> with a <em>bell</em>."]}}


def test_where_nothing_is_to_be_marked_there_are_no_highlights(boats: SearchClient, send: Send) -> None:
    hit = send("POST", SEARCH, {"search": "ketch", "highlight": "name"}).json()["value"][0]
    assert "@search.highlights" not in hit
    assert set(highlighted(boats, "*", "story").values()) == {None}


@pytest.mark.parametrize("field", ["crew", "nothing", "story-0", "story-x", "secret"])
def test_a_highlight_of_what_is_not_searchable_is_refused(boats: SearchClient, send: Send, field: str) -> None:
    assert send("POST", SEARCH, {"search": "x", "highlight": field}).status_code == 400


texts = st.text(alphabet=st.sampled_from("ab .!?\n。犬'"), max_size=80)


@given(texts, st.integers(1, 30))
def test_passages_are_pieces_of_the_text_and_leave_out_blanks_only(text: str, longest: int) -> None:
    spans = passages.sentences(text, longest)
    assert "".join(text[start:end] for start, end in spans).split() == "".join(spans_text(text, spans)).split()
    assert [sign for start, end in spans for sign in text[start:end] if not sign.isspace()] == [
        sign for sign in text if not sign.isspace()
    ]
    assert all(0 < end - start <= longest for start, end in spans)


def spans_text(text: str, spans: list[passages.Span]) -> Iterator[str]:
    for span in spans:
        yield passages.marked(text, span, [], ("<", ">"))


@given(st.text(alphabet="abc", max_size=6), st.text(alphabet="abc", max_size=6), st.integers(0, 3))
def test_edits_are_counted_in_both_directions(one: str, other: str, edits: int) -> None:
    assert matching.within(one, other, edits) == matching.within(other, one, edits)
    assert matching.within(one, one, 0)
    assert not edits or matching.within(one, one + "x", edits)


@given(st.lists(st.text(alphabet="ab", max_size=3), min_size=2, max_size=4), st.data())
def test_a_wildcard_fits_what_its_gaps_are_filled_with(parts: list[str], data: Any) -> None:
    gaps = "".join(data.draw(st.sampled_from("?*")) for _ in parts[1:])
    fill = [data.draw(st.text(alphabet="ab", min_size=gap == "?", max_size=1 if gap == "?" else 3)) for gap in gaps]
    term = parts[0] + "".join(filled + part for filled, part in zip(fill, parts[1:], strict=True))
    assert matching.fits(term, parts, gaps)
    assert not matching.fits(f"{term}x", [*parts[:-1], f"{parts[-1]}y"], gaps)


def test_coverage_is_given_where_it_was_asked_for(boats: SearchClient, send: Send) -> None:
    assert boats.search("*", minimum_coverage=80).get_coverage() == 100.0
    assert "@search.coverage" not in send("POST", SEARCH, {}).json()
    assert send("POST", SEARCH, {"minimumCoverage": 101}).status_code == 400


def test_pages_of_a_thousand_at_most(boats: SearchClient, send: Send, found: Found) -> None:
    boats.upload_documents([{"id": f"x{n:04}"} for n in range(998)])
    boats.upload_documents([{"id": f"y{n:04}"} for n in range(998)])
    page = send("POST", SEARCH, {"top": 1500, "select": "id"}).json()
    assert len(page["value"]) == 1000
    assert page["@search.nextPageParameters"] == {"top": 500, "skip": 1000, "select": "id"}
    assert page["@odata.nextLink"] == f"{SEARCH}?api-version=2026-04-01"
    assert len(found("*", top=1500, select=["id"])) == 1500
    assert len(found("*", select=["id"])) == 2000


def test_pages_keep_order_facets_and_count(boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n:03}", "crew": n, "harbour": "Oban"} for n in range(120)])
    pages = boats.search("*", order_by=["crew desc"], facets=["harbour"], include_total_count=True, filter="crew ge 10")
    assert pages.get_count() == 110
    assert pages.get_facets() == {"harbour": [{"value": "Oban", "count": 110}]}
    assert [hit["crew"] for hit in pages] == list(range(119, 9, -1))


def test_a_search_by_get_is_the_same_search(boats: SearchClient, send: Send) -> None:
    options = {
        "search": "engine | wooden",
        "$filter": "crew ge 1 or crew eq null",
        "$orderby": "crew desc",
        "$select": "id,crew",
        "$top": "2",
        "$skip": "0",
        "$count": "true",
        "searchFields": "story",
        "searchMode": "all",
        "queryType": "simple",
        "highlight": "story-1",
        "highlightPreTag": "[",
        "highlightPostTag": "]",
        "minimumCoverage": "50",
    }
    query = "&".join(f"{quote(name)}={quote(value)}" for name, value in options.items())
    got = send("GET", f"/indexes('boats')/docs?{query}&facet=tags&facet=crew%2Cvalues:5", None)
    posted = send(
        "POST",
        SEARCH,
        {
            "search": "engine | wooden",
            "filter": "crew ge 1 or crew eq null",
            "orderby": "crew desc",
            "select": "id,crew",
            "top": 2,
            "count": True,
            "searchFields": "story",
            "searchMode": "all",
            "highlight": "story-1",
            "highlightPreTag": "[",
            "highlightPostTag": "]",
            "minimumCoverage": 50,
            "facets": ["tags", "crew,values:5"],
        },
    )
    assert got.status_code == posted.status_code == 200, got.text()
    assert got.json() == posted.json()
    assert [one["id"] for one in got.json()["value"]] == ["2", "1"]


def test_a_get_search_is_continued_by_its_link(boats: SearchClient, send: Send) -> None:
    boats.upload_documents([{"id": f"x{n:03}"} for n in range(116)])
    path, keys = "/indexes/boats/docs?search=*&$select=id&$skip=3&api-version=2026-04-01", []
    while path:
        page = send("GET", path, version=None).json()
        assert "@search.nextPageParameters" not in page
        keys += [one["id"] for one in page["value"]]
        path = page.get("@odata.nextLink")
    assert keys == ["4", *(f"x{n:03}" for n in range(116))]


@pytest.mark.parametrize("query", ["$top=x", "$count=1", "search=a&search=b", "minimumCoverage=nan",
                                   "$skip=" + "9" * 50, "scoringProfile=near", "$filter=crew eq"])  # fmt: skip
def test_a_get_search_that_is_wrong_is_refused(boats: SearchClient, send: Send, query: str) -> None:
    assert send("GET", f"/indexes/boats/docs?{query.replace(' ', '%20')}").status_code == 400


def test_an_order_longer_than_any_that_is_meant_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        ordering.read("a" * 20_000, {})
