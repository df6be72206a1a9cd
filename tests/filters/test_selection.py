"""Filters that the service takes, and the hotels that each selects."""

import pytest

from retrieval.filters.bind import bind
from retrieval.filters.evaluate import predicate
from retrieval.filters.odata import read
from retrieval.filters.odata.writer import write

from .hotels import HOTELS, SCHEMA, matches

SEATTLE = "geography'POINT(-122.131577 47.678581)'"
PARIS = "geography'POINT(2.35 48.86)'"
WASHINGTON = "geography'POLYGON((-123 47, -122 47, -122 48, -123 48, -123 47))'"
BERING = "geography'POLYGON((179 65, 179 66, -179 66, -179 65, 179 65))'"

COMPARISONS = [
    ("rating eq 5", "a"),
    ("rating ne 5", "bcde"),
    ("rating gt 0", "ab"),
    ("rating ge 0", "abd"),
    ("rating lt 0", "e"),
    ("rating le 3", "bde"),
    ("5 eq rating", "a"),
    ("0 lt rating", "ab"),
    ("3 ge rating", "bde"),
    ("3 ne rating", "acde"),
    ("rating eq null", "c"),
    ("rating ne null", "abde"),
    ("null eq rating", "c"),
    ("rating eq 5.0", "a"),
    ("rating gt 2.5", "ab"),
    ("rating eq +5", "a"),
    ("rating eq -2", "e"),
    ("rating eq 9007199254740993", ""),
    ("price eq 60", "b"),
    ("price gt 100", "ae"),
    ("price eq NaN", ""),
    ("price ne NaN", "abcde"),
    ("price eq INF", "e"),
    ("price lt INF", "ab"),
    ("price gt -INF", "abe"),
    ("price ge 1.995e2", "ae"),
    ("price gt 1e-05", "abe"),
    ("not (price gt 0)", "cd"),
    ("price ne 60.0", "acde"),
    ("stock eq 9007199254740993", "a"),
    ("stock gt 9007199254740992", "a"),
    ("stock eq 9007199254740992", "e"),
    ("name eq 'O''Hare Inn'", "b"),
    ("name eq ''", ""),
    ("name ne 'Sea View'", "bcde"),
    ("name eq '東京 ホテル'", "e"),
    ("name ne 'a''''b'", "abcde"),
    ("name eq null", "cd"),
    ("category eq 'Luxury'", "a"),
    ("category eq 'luxury'", "d"),
    ("category gt 'C'", "ad"),
    ("category le 'Budget'", "be"),
    ("address/city eq 'Paris'", "b"),
    ("address/city ne null", "abe"),
    ("address/city ne 'Paris'", "acde"),
    ("renovated ge 2010-01-01T00:00:00Z", "abe"),
    ("renovated ge 2010-01-01T00:00:00-08:00", "ae"),
    ("renovated eq 2009-12-31T23:30:00-08:00", "b"),
    ("renovated eq 2010-01-01T07:30Z", "b"),
    ("renovated lt 2020-02-29T12:00:00.1234568Z", "abe"),
    ("renovated lt 2020-02-29T12:00:00.1234567Z", "ab"),
    ("renovated ne null", "abe"),
    ("2015-06-01T00:00:00.000Z eq renovated", "a"),
]

LOGIC = [
    ("open", "ae"),
    ("not open", "bcd"),
    ("open eq true", "ae"),
    ("open eq false", "b"),
    ("open ne true", "bcd"),
    ("open eq null", "cd"),
    ("true", "abcde"),
    ("false", ""),
    ("not false", "abcde"),
    ("not not open", "ae"),
    ("open and rating gt 0", "a"),
    ("open or rating eq 3", "abe"),
    ("rating eq 5 or rating eq 3 and not open", "ab"),
    ("open or rating eq 3 and price lt 100", "abe"),
    ("(open or rating eq 3) and price lt 100", "b"),
    ("not (open and rating gt 0)", "bcde"),
    ("not (rating gt 3)", "bcde"),
    ("rating eq 5 or rating eq 3 or rating eq 7.5 or rating eq null", "abc"),
    ("category ne 'Budget' and category ne 'luxury'", "ac"),
    ("((rating eq 5))", "a"),
    ("rating eq 5 and(open)", "a"),
    ("  rating   eq\t5\r\n", "a"),
    ("allowed", "a"),
    ("nullable eq 'x'", "b"),
    ("trueCost ge 1.5", "e"),
    ("eq eq 1", "a"),
]

COLLECTIONS = [
    ("tags/any()", "abe"),
    ("not tags/any()", "cd"),
    ("tags/any(t: t eq 'wifi')", "ab"),
    ("tags/all(t: t ne 'wifi')", "cde"),
    ("tags/any(t: t eq 'wifi' or t eq 'pool')", "abe"),
    ("tags/any(t: not (t ne 'wifi'))", "ab"),
    ("tags/all(t: t ne 'wifi' and not (t eq 'pool'))", "cd"),
    ("tags/any(t: search.in(t, 'pool, tub'))", "ae"),
    ("tags/any(t: search.in(t, ('pool, tub')))", "ae"),
    ("tags/all(t: not search.in(t, 'pool, tub'))", "bcd"),
    ("tags/any(all: all eq 'pool')", "ae"),
    ("tags/any(t: search.in(t, 'a b|x,y', '|'))", "e"),
    ("tags/any(t: search.in(t, 'a b'))", ""),
    ("not tags/any(t: t eq 'wifi')", "cde"),
    ("scores/any(s: s gt 4 and s lt 9)", "ae"),
    ("scores/any(s: s gt 5 or s eq 4)", "ab"),
    ("scores/any(s: (s gt 1 and s lt 5) or (s gt 8 and s lt 10))", "ab"),
    ("scores/any(s: s ne 5)", "ab"),
    ("scores/any(s: s ne 5 or s gt 7)", "ab"),
    ("scores/all(s: s eq 5)", "cde"),
    ("scores/all(s: s eq 5 and s le 7)", "cde"),
    ("scores/all(s: (s le 4 or s gt 5) and s ne 7)", "bcd"),
    ("scores/all(s: s ge 1 and s le 9)", "abcde"),
    ("not scores/all(s: s eq 5)", "ab"),
    ("flags/any(f: f)", "ab"),
    ("flags/all(f: f)", "bcd"),
    ("flags/all(f: not f)", "cde"),
    ("flags/any(f: f eq true)", "ab"),
    ("flags/any(f: f ne true)", "ae"),
    ("flags/all(f: not (f eq true))", "cde"),
    ("visits/any(v: v gt 2020-06-01T00:00:00Z)", "a"),
    ("visits/all(v: v lt 2020-06-01T00:00:00Z)", "bcde"),
    ("rooms/any()", "abe"),
    ("not rooms/any()", "cd"),
    ("rooms/any(room: room/type eq 'Deluxe' and room/rate lt 100)", ""),
    ("rooms/any(room: room/type eq 'Deluxe') and rooms/any(room: room/rate lt 100)", "a"),
    ("rooms/any(room: room/type eq 'Deluxe' and room/rate lt 200)", "a"),
    ("rooms/all(room: not room/smoking)", "bcde"),
    ("rooms/any(room: room/smoking)", "a"),
    ("rooms/any(r: r/tags/any(t: t eq 'wifi'))", "ab"),
    ("rooms/any(r: r/tags/any(t: t eq 'tub') and r/rate gt 200)", "e"),
    ("rooms/all(r: r/tags/any())", "bcd"),
    ("rooms/any(r: r/type eq null)", "e"),
    ("rooms/any(r: r/rate ne 80 and not (r/beds gt 1))", "b"),
    ("rooms/any(r: r/extras/any(x: x/name eq 'view'))", "a"),
    ("rooms/any(x: x/extras/any(x: x/name eq 'view'))", "a"),
    ("rooms/any(r: true)", "abe"),
]

FUNCTIONS = [
    ("search.in(category, 'Luxury,Budget')", "abe"),
    ("search.in(category, 'Luxury Budget')", "abe"),
    ("search.in(name, 'Sea View|O''Hare Inn', '|')", "ab"),
    ("search.in(name, 'Sea View;O''Hare Inn,x', ';,')", "ab"),
    ("not search.in(category, 'Luxury')", "bcde"),
    ("search.in(category, '')", ""),
    ("search.in(category, 'Luxury') eq true", "a"),
    ("true ne search.in(category, 'Luxury')", "bcde"),
    ("search.in(category, 'Luxury') or category eq 'Budget'", "abe"),
    (f"geo.distance(location, {SEATTLE}) le 10", "a"),
    (f"geo.distance({SEATTLE}, location) gt 10", "be"),
    (f"10 ge geo.distance(location, {SEATTLE})", "a"),
    (f"not (geo.distance(location, {SEATTLE}) le 10)", "bcde"),
    (f"geo.distance(location, {SEATTLE}) lt 1.5e4 and rating eq 3", "b"),
    (f"geo.intersects(location, {WASHINGTON})", "a"),
    (f"not geo.intersects(location, {WASHINGTON})", "bcde"),
    (f"geo.intersects(location, {WASHINGTON}) eq false", "bcde"),
    (f"geo.intersects(location, {BERING})", "e"),
    ("location eq null", "cd"),
    (f"places/any(p: geo.distance(p, {PARIS}) lt 1)", "b"),
    (f"places/all(p: geo.distance(p, {PARIS}) gt 1)", "acde"),
    (f"places/any(p: not (geo.distance(p, {PARIS}) ge 1) or geo.intersects(p, {WASHINGTON}))", "ab"),
    (f"places/all(p: geo.distance(p, {PARIS}) gt 1 and not geo.intersects(p, {WASHINGTON}))", "cde"),
    ("search.ismatch('sea')", "a"),
    ("search.ismatchscoring('inn', 'name') and rating eq 3", "b"),
    ("not search.ismatch('sea')", "bcde"),
    ("search.ismatch('sea', 'name', 'full', 'all') eq false", "bcde"),
    ("search.ismatch('sea') or rating eq 3", "ab"),
]


@pytest.mark.parametrize(("text", "keys"), COMPARISONS + LOGIC + COLLECTIONS + FUNCTIONS)
def test_a_filter_selects_exactly_these_hotels(text: str, keys: str) -> None:
    passes = predicate(bind(read(text), SCHEMA), matches=matches)
    assert "".join(str(hotel["id"]) for hotel in HOTELS if passes(hotel)) == keys


@pytest.mark.parametrize("text", [text for text, _ in COMPARISONS + LOGIC + COLLECTIONS + FUNCTIONS])
def test_what_was_read_is_written_so_that_it_reads_the_same(text: str) -> None:
    tree = read(text)
    assert read(write(tree)) == tree
    assert write(read(write(tree))) == write(tree)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("5 lt Rating", "Rating gt 5"),
        ("((a) and (b)) and c", "a and b and c"),
        ("(a and b) or (c)", "a and b or c"),
        ("a and (b or c)", "a and (b or c)"),
        ("not(a)", "not a"),
        ("not (a eq 1)", "not (a eq 1)"),
        ("not (not (a))", "not not a"),
        ("a eq 'O''Hare'", "a eq 'O''Hare'"),
        ("d lt 2020-01-01T01:00+02:00", "d lt 2019-12-31T23:00:00Z"),
        ("x eq 1.50E3", "x eq 1500.0"),
        ("search.in(a, 'x, y')", "search.in(a, 'x,y')"),
        ("search.in(a, 'x y;z', ';')", "search.in(a, 'x y|z', '|')"),
        ("search.ismatch('a') eq false", "not search.ismatch('a')"),
        ("10 ge geo.distance(geography'POINT(1 2)', l)", "geo.distance(l, geography'POINT(1.0 2.0)') le 10.0"),
    ],
)
def test_the_written_form_is_canonical(text: str, written: str) -> None:
    assert write(read(text)) == written
