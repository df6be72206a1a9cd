"""What the text engine answers of a filter is what evaluation answers, document by document."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.filters import odata
from retrieval.filters.bind import bind
from retrieval.filters.evaluate import predicate
from retrieval.filters.tree import Compare, Filter, Not, Path, String, all_of, any_of
from retrieval.local.search_service.definitions import index as definition
from retrieval.local.search_service.engine.documents import checked_fields
from retrieval.local.search_service.engine.filters import compile_filter, schema
from retrieval.local.search_service.engine.index import LocalIndex
from tests.filters.trees import fitting_tree, stays
from tests.laws import law

PLAIN: list[dict[str, Any]] = [
    {"name": "name", "type": "Edm.String"},
    {"name": "rating", "type": "Edm.Int32"},
    {"name": "price", "type": "Edm.Double"},
    {"name": "open", "type": "Edm.Boolean"},
    {"name": "renovated", "type": "Edm.DateTimeOffset"},
    {"name": "location", "type": "Edm.GeographyPoint"},
    {"name": "tags", "type": "Collection(Edm.String)"},
]
STAYS = definition.parse(
    {
        "name": "stays",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True},
            *PLAIN,
            {"name": "rooms", "type": "Collection(Edm.ComplexType)", "fields": PLAIN},
            {"name": "stock", "type": "Edm.Int64"},
            {"name": "scores", "type": "Collection(Edm.Int32)"},
            {"name": "margins", "type": "Collection(Edm.Double)"},
            {"name": "flags", "type": "Collection(Edm.Boolean)"},
            {"name": "visits", "type": "Collection(Edm.DateTimeOffset)"},
            {"name": "address", "type": "Edm.ComplexType", "fields": [*PLAIN]},
        ],
    }
)

many = law(150)


def filled(documents: Sequence[dict[str, Any]]) -> LocalIndex:
    index = LocalIndex(STAYS, '"1"')
    for number, document in enumerate(documents):
        fields = {name: value for name, value in document.items() if name not in ("location",) or value is not None}
        index.put(str(number), checked_fields({"id": str(number), **fields}, STAYS))
    return index


def evaluated(filter: Filter, index: LocalIndex) -> list[int]:
    passes = predicate(bind(filter, schema(STAYS)))
    return [ordinal for ordinal, document in index.documents() if passes(document)]


@many
@given(st.lists(fitting_tree, min_size=1, max_size=4), st.lists(stays, min_size=1, max_size=8))
def test_any_filter_selects_what_evaluation_selects(filters: list[Filter], documents: list[dict[str, Any]]) -> None:
    index = filled(documents)
    for filter in filters:
        selected = list(compile_filter(odata.write(filter), index).ordinals(index))
        assert selected == evaluated(filter, index)


EDGES: list[dict[str, Any]] = [
    {"stock": 2**63 - 1, "price": 1e308, "scores": [1, 5], "margins": ["NaN"], "flags": [True]},
    {"stock": -(2**63), "price": "-INF", "scores": [], "margins": ["INF", 0.5], "flags": [True, False]},
    {"stock": 2**53 + 1, "price": 2**53 + 1, "scores": [-3], "margins": [-0.0], "visits": ["2020-01-01T00:00:00Z"]},
    {"stock": 0, "price": 0, "name": "", "address": {"name": "wifi", "rating": 4, "tags": ["Pool"]}},
    {"stock": 3, "price": -0.0, "name": "null", "tags": ["wifi", "WIFI"], "address": {"open": False}},
    {"price": "NaN", "name": "n", "tags": ["n"], "address": {}, "renovated": "2020-01-01T01:00:00+01:00"},
    {"price": "INF", "name": "Wifi", "tags": ["", "v"], "renovated": "2020-01-01T00:00:00.0000001Z"},
]


@pytest.fixture(scope="module")
def edges() -> LocalIndex:
    return filled(EDGES)


TESTS = [
    "stock eq 9223372036854775807",
    "stock lt 9223372036854775807",
    "stock ge -9223372036854775808",
    "stock lt 1e300",
    "stock gt 1e300",
    "stock le -1e300",
    "stock gt -1e300",
    "stock gt 2.5",
    "stock le 2.5",
    "stock eq 3.0",
    "stock ne 3",
    "stock eq null",
    "stock ne null",
    "stock eq 9007199254740993",
    "price eq 0",
    "price eq NaN",
    "price ne NaN",
    "price lt NaN",
    "price ge -INF",
    "price gt -INF",
    "price le INF",
    "price lt INF",
    "price eq INF",
    "price eq 9007199254740993",
    "price gt 9007199254740992",
    "price eq null",
    "not (price gt 0)",
    "name eq 'wifi'",
    "name eq 'Wifi'",
    "name eq 'n'",
    "name eq ''",
    "name eq 'null'",
    "name ne null",
    "name gt 'a'",
    "name gt 'a' and stock ge 0",
    "name gt 'a' or stock ge 0",
    "open",
    "not open",
    "open eq false",
    "open ne true",
    "open eq null",
    "tags/any()",
    "not tags/any()",
    "tags/any(t: t eq 'wifi')",
    "tags/any(t: t eq 'n' or t eq '')",
    "tags/any(t: search.in(t, 'wifi,v'))",
    "tags/all(t: t ne 'wifi')",
    "tags/all(t: not search.in(t, 'WIFI|n', '|'))",
    "tags/all(t: t ne 'wifi' and t ne 'n')",
    "scores/any(s: s gt 2)",
    "scores/any(s: s gt 2 and s lt 5)",
    "scores/any(s: s eq 1 or s lt 0)",
    "scores/all(s: s gt 0)",
    "scores/all(s: s ne 5)",
    "scores/any(s: not (s gt 2))",
    "margins/any(m: m eq NaN)",
    "margins/any(m: m gt 0)",
    "margins/any(m: m lt 1)",
    "margins/all(m: m ne 0)",
    "margins/any(m: m eq 0)",
    "flags/any(f: f)",
    "flags/all(f: f)",
    "flags/any(f: not f)",
    "flags/all(f: not f)",
    "flags/any(f: f eq false)",
    "visits/any(v: v eq 2020-01-01T00:00:00Z)",
    "visits/any(v: v ge 2020-01-01T00:00:00Z)",
    "renovated eq 2020-01-01T00:00:00Z",
    "renovated gt 2020-01-01T00:00:00Z",
    "renovated le 2020-01-01T00:00:00.0000001Z",
    "renovated ne 2020-01-01T00:00:00Z",
    "address/name eq 'wifi'",
    "address/name eq null",
    "address/rating ge 4",
    "address/open eq false",
    "address/open ne false",
    "address/tags/any(t: t eq 'Pool')",
    "search.in(name, 'wifi,Wifi,n')",
    "search.in(name, ',')",
    "not search.in(name, 'Wifi')",
    "search.in(name, '" + ",".join(f"x{n}" for n in range(100)) + ",n')",
    "name eq 'n' or name eq 'null' or name eq ''",
    "stock gt 1 or stock gt 0 or stock gt 2 or stock ge 3",
    "stock gt 1 and stock gt -1 and stock lt 5 and stock lt 4 and stock le 3.5",
    "price lt 1 or price lt NaN or price lt 2",
    "price lt 1 and price lt NaN",
    "true",
    "false",
    "not true or stock eq 3",
    "geo.distance(location, geography'POINT(0 0)') lt 5 or stock eq 3",
    "rooms/any()",
    "not rooms/any(r: r/rating ge 1)",
]


@pytest.mark.parametrize("text", TESTS)
def test_the_edges_of_every_type(edges: LocalIndex, text: str) -> None:
    selected = compile_filter(text, edges)
    assert list(selected.ordinals(edges)) == evaluated(odata.read(text), edges)


@pytest.mark.parametrize(
    "text",
    [
        "name eq 'a' and stock ge 3 and tags/any(t: t eq 'b')",
        "not (search.in(name, 'a,b') or price lt 3.5) and visits/any(v: v lt 2020-01-01T00:00:00Z)",
        "address/name ne 'x' and address/tags/all(t: t ne 'y')",
    ],
)
def test_what_look_ups_answer_is_left_to_the_engine(edges: LocalIndex, text: str) -> None:
    selected = compile_filter(text, edges)
    assert selected.within is not None and selected.passes is None


def test_what_the_engine_cannot_answer_is_tested_on_what_it_leaves(edges: LocalIndex) -> None:
    selected = compile_filter("stock ge 0 and rooms/any(r: r/name eq 'a' and r/rating gt 1)", edges)
    assert selected.within is not None and selected.passes is not None


def test_a_deep_filter_is_answered(edges: LocalIndex) -> None:
    three: Filter = Compare(Path(("name",)), "eq", String("n"))
    for level in range(90):
        parts = [three, Compare(Path(("name",)), "eq", String(f"x{level}"))]
        joined = any_of(parts) if level % 2 else all_of([Not(one) for one in parts])
        assert joined is not None
        three = joined
    selected = compile_filter(odata.write(three), edges)
    assert list(selected.ordinals(edges)) == evaluated(three, edges)
