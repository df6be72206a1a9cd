"""Filters that are refused, each with a reason that helps; what cannot be read also with its position."""

import pytest

from retrieval.errors import BadFilter
from retrieval.filters.bind import bind
from retrieval.filters.odata import read

from .hotels import SCHEMA

HERE = "geography'POINT(1 2)'"
RING = "geography'POLYGON((0 0, 1 0, 1 1, 0 0))'"

UNREADABLE = [
    ("", 0, "empty"),
    (" \t", 0, "empty"),
    (
        "foo eq bar",
        7,
        "comparing two fields is not allowed; if the right side is meant as text, put it in quotes: foo eq 'bar'",
    ),
    ("not Rating gt 5", 11, "parentheses"),
    ("not a eq b", 6, "parentheses"),
    ("x in ('a','b')", 2, "search.in(field"),
    ("x in 'a'", 2, "search.in(field"),
    ("contains(a,'b')", 0, "'contains' is not supported"),
    ("startswith(tolower(a),'b')", 0, "'startswith' is not supported"),
    ("a and endswith(b,'x')", 6, "'endswith' is not supported"),
    ("SEARCH.IN(a,'b')", 0, "write search.in"),
    ("a eq now()", 5, "'now' is not supported"),
    ("a add 5 gt 3", 2, "can only be compared with a constant"),
    ("a - 5 gt 3", 2, "can only be compared with a constant"),
    ("a has 'x'", 2, "not supported"),
    ("a EQ 5", 2, "write 'eq'"),
    ("a AND b", 2, "write 'and'"),
    ("NOT a", 4, "write 'not'"),
    ("a eq TRUE", 5, "write 'true'"),
    ("a eq Null", 5, "write 'null'"),
    ("a eq nan", 5, "write 'NaN'"),
    ("a = 5", 2, "write 'eq'"),
    ("a != 5", 2, "write 'ne'"),
    ("a && b", 2, "write 'and'"),
    ("not null", 4, "'null' cannot be the name of a field"),
    ("not NaN", 4, "'NaN' cannot be the name of a field"),
    ("search.in(true, 'x')", 0, "search.in takes"),
    ("a/any(not: b)", 6, "'not' cannot be the name of a field"),
    ("null", 4, "ends too early"),
    ("!a", 0, "write 'not'"),
    ('a eq "x"', 5, "single quotes"),
    ("d gt 2020-01-01", 5, "2020-01-31T12:30:00Z"),
    ("d gt 2020-01-01T00:00:00", 5, "zone"),
    ("d gt 2020-02-30T00:00:00Z", 5, "is not a date and time"),
    ("d gt 2020-01-01T24:00:00Z", 5, "is not a date and time"),
    ("d gt 2020-01-01T00:00:00+15:00", 5, "zone"),
    ("d gt 0001-01-01T00:00:00+01:00", 5, "years"),
    ("d gt 2020-01-01T00:00:00.12345678Z", 5, "is not a date and time"),
    ("a eq 12345678-1234-1234-1234-123456789012", 5, "GUID"),
    ("a eq f2345678-1234-1234-1234-123456789012", 13, "GUID"),
    ("a eq guid'12345678-1234-1234-1234-123456789012'", 9, "'guid'"),
    ("a eq 5L", 5, "suffix"),
    ("a eq .5", 5, "both sides of the point"),
    ("a eq 5.", 5, "both sides of the point"),
    ("a eq 1e999", 5, "too large for Edm.Double"),
    ("a eq 9223372036854775808", 5, "too large for Edm.Int64"),
    ("a eq 'x", 5, "quote is missing"),
    ("a eq 'it's'", 9, "written as two"),
    ("a eq 'x' b", 9, "unexpected 'b'"),
    ("(a", 2, "ends too early"),
    ("a)", 1, "unexpected ')'"),
    ("a eq", 4, "ends too early"),
    ("eq 5", 3, "unexpected '5'"),
    ("a b", 2, "unexpected 'b'"),
    ("a, b", 1, "unexpected ','"),
    ("a;drop", 1, "unexpected ';'"),
    ("a eq 5 5", 7, "unexpected '5'"),
    ("a eq 1 eq 2", 7, "unexpected 'eq'"),
    ("1 eq 1", 0, "two constants"),
    ("(a) eq 5", 4, "cannot be compared"),
    ("a/any() eq true", 8, "cannot be compared"),
    ("a/all()", 1, "needs a condition"),
    ("a/any(x)", 7, "unexpected ')'"),
    ("a/any(x: )", 9, "unexpected ')'"),
    ("é eq 1", 0, "unexpected 'é'"),
    ("a\x00 eq 1", 1, "unexpected"),
    ("a eq '\ud800'", 6, "surrogate"),
    ("search.in(a)", 0, "search.in takes"),
    ("search.in(a, b)", 0, "search.in takes"),
    ("search.in(a, 'x', '')", 0, "search.in takes"),
    ("search.in(a, ('x', 'y'))", 17, "unexpected ','"),
    ("search.in((a), 'x')", 11, "unexpected 'a'"),
    ("search.in(a, 'x', '|', 'y')", 0, "search.in takes"),
    ("search.ismatch()", 0, "1, 2 or 4"),
    ("search.ismatch('x', 'f', 'full')", 0, "1, 2 or 4"),
    ("search.ismatch(a)", 0, "1, 2 or 4"),
    ("search.ismatch('x', 'f', 'semantic', 'any')", 0, "'simple' or 'full'"),
    ("search.ismatch('x', 'f', 'full', 'some')", 0, "'any' or 'all'"),
    ("search.ismatch('x') gt true", 0, "'eq' or 'ne'"),
    ("search.ismatch('x') eq 1", 0, "true or false"),
    ("search.ismatch('x') eq search.ismatch('y')", 23, "must be a constant"),
    (f"geo.distance(l, {HERE})", 0, "compare it"),
    (f"geo.distance(l, {HERE}) eq 5", 0, "'lt', 'le', 'gt' or 'ge'"),
    (f"geo.distance(l, {HERE}) lt 'x'", 0, "kilometres"),
    ("geo.distance(l, m) lt 5", 0, "takes a field and a point"),
    (f"geo.distance({HERE}, {HERE}) lt 5", 0, "takes a field and a point"),
    ("geo.distance(l, geography'POINT(200 2)') lt 5", 16, "off the globe"),
    ("geo.distance(l, geography'POINT(1)') lt 5", 16, "is not a point"),
    ("geo.distance(l, geography'LINE(1 2)') lt 5", 16, "a place is written"),
    ("geo.intersects(l, geography'POLYGON((0 0, 1 0, 1 1, 2 2))')", 18, "repeated as the last"),
    ("geo.intersects(l, geography'POLYGON((0 0, 1 0, 0 0))')", 18, "four points"),
    ("geo.intersects(l, geography'POLYGON((0 0, 1 0, 1 1, 0 0), (2 2, 3 3))')", 18, "one ring"),
    (f"geo.intersects({RING}, l)", 0, "takes a field and a polygon"),
    (f"l eq {HERE}", 5, "a place cannot be compared"),
]

UNBINDABLE = [
    ("nothing eq 1", "could not find a property named 'nothing' on the index"),
    ("address/street eq 'x'", "could not find a property named 'street' on 'address'"),
    ("name/first eq 'x'", "could not find a property named 'first' on 'name'"),
    ("notes eq 'x'", "'notes' is not a filterable field"),
    ("address/zip eq '1'", "'address/zip' is not a filterable field"),
    ("hidden/any()", "not a filterable field"),
    ("hidden/any(t: t eq 'x')", "not a filterable field"),
    ("rating eq '5'", "without quotes"),
    ("name eq 5", "in quotes"),
    ("name eq true", "'Edm.String' and 'Edm.Boolean'"),
    ("open eq 1", "'Edm.Boolean' and 'Edm.Int64'"),
    ("renovated gt '2020-01-01T00:00:00Z'", "without quotes"),
    ("renovated gt 5", "incompatible types"),
    ("rating gt null", "null can only be compared by 'eq' and 'ne'"),
    ("null lt rating", "null can only be compared by 'eq' and 'ne'"),
    ("rating eq NaN", "NaN or INF"),
    ("stock lt INF", "NaN or INF"),
    ("open gt true", "true and false can only be compared"),
    ("rating", "as a condition by itself it must be Edm.Boolean"),
    ("not rating", "as a condition by itself it must be Edm.Boolean"),
    ("not name", "as a condition by itself it must be Edm.Boolean"),
    ("tags eq 'x'", "tags/any(x: …)"),
    ("tags", "is a collection"),
    ("search.in(tags, 'x')", "is a collection"),
    ("search.in(rating, '1')", "in search.in it must be Edm.String"),
    ("name/any(n: n eq 'x')", "is not a collection"),
    ("address/any()", "is not a collection"),
    ("rooms/type eq 'x'", "goes through the collection 'rooms'"),
    ("address eq null", "compare one of its sub-fields"),
    ("location eq 5", "use geo.distance"),
    (f"geo.distance(name, {HERE}) lt 5", "in geo.distance it must be Edm.GeographyPoint"),
    (f"geo.intersects(places, {RING})", "is a collection"),
    ("tags/any(t: t ne 'x')", "'x eq …'"),
    ("tags/any(t: not search.in(t, 'x'))", "'x eq …'"),
    ("tags/all(t: t eq 'x')", "'x ne …'"),
    ("tags/all(t: search.in(t, 'x'))", "'x ne …'"),
    ("tags/any(t: t eq 'x' and t eq 'y')", "joined by 'or'"),
    ("tags/any(t: not (t ne 'x' or t ne 'y'))", "joined by 'or'"),
    ("tags/all(t: t ne 'x' or t ne 'y')", "joined by 'and'"),
    ("tags/any(t: t gt 'x')", "can only be compared by 'eq' and 'ne' within"),
    ("rooms/any(r: r/type gt 'x')", "can only be compared by 'eq' and 'ne' within"),
    ("tags/any(t: true)", "about the range variable"),
    ("flags/any(f: f or not f)", "holds one test"),
    ("flags/all(f: f and f eq true)", "holds one test"),
    ("scores/any(s: s ne 5 and s gt 2)", "ORs of ANDs"),
    ("scores/any(s: s gt 1 and (s lt 3 or s gt 5))", "ORs of ANDs"),
    ("scores/all(s: s eq 5 or s le 2)", "ANDs of ORs"),
    ("scores/all(s: s gt 1 or (s lt 3 and s gt 5))", "ANDs of ORs"),
    ("scores/any(s: s eq 'x')", "incompatible types"),
    ("scores/any(s: s/x eq 1)", "could not find a property named 'x'"),
    (f"places/any(p: geo.distance(p, {HERE}) gt 5)", "'lt' or 'le'"),
    (f"places/all(p: geo.distance(p, {HERE}) lt 5)", "'gt' or 'ge'"),
    (f"places/any(p: not geo.intersects(p, {RING}))", "'lt' or 'le'"),
    (f"places/all(p: geo.intersects(p, {RING}))", "'gt' or 'ge'"),
    (f"places/any(p: geo.distance(p, {HERE}) lt 5 and geo.intersects(p, {RING}))", "joined by 'or'"),
    (f"places/all(p: geo.distance(p, {HERE}) gt 5 or not geo.intersects(p, {RING}))", "joined by 'and'"),
    ("rooms/any(r: rating eq 5)", "'rating' is not bound to the range variable 'r'"),
    ("rooms/any(r: r/tags/any(t: t eq r/type))", "comparing two fields"),
    ("rooms/any(r: r/tags/any(t: r/rate gt 5))", "'r/rate' is not bound to the range variable 't'"),
    ("rooms/any(r: r eq 5)", "compare one of its sub-fields"),
    ("rooms/any(r: search.ismatch('x'))", "move it out of any() or all()"),
    ("rooms/any(r: r/type eq 'x' or search.ismatchscoring('x'))", "move it out of any() or all()"),
    ("r/type eq 'x' and rooms/any(r: r/type eq 'x')", "could not find a property named 'r'"),
]


@pytest.mark.parametrize(("text", "position", "reason"), UNREADABLE)
def test_a_text_that_cannot_be_read_is_refused_with_its_position(text: str, position: int, reason: str) -> None:
    with pytest.raises(BadFilter) as refused:
        read(text)
    assert reason in refused.value.reason
    assert refused.value.position == position


@pytest.mark.parametrize(("text", "reason"), UNBINDABLE)
def test_a_filter_that_the_index_does_not_allow_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadFilter) as refused:
        bind(read(text), SCHEMA)
    assert reason in refused.value.reason


def test_a_reason_stays_short_whatever_the_text() -> None:
    for text in ["a eq " + "1" * 10_000, "f" * 10_000 + "(a)", "a eq guid" * 5_000, "a " + "b" * 10_000, "x" * 10_000]:
        with pytest.raises(BadFilter) as refused:
            read(text)
        assert len(refused.value.message) < 300
