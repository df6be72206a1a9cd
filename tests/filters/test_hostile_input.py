"""Inputs made to exhaust: each is answered, by a tree or a refusal, and nothing recurses."""

import pytest

from retrieval.errors import BadFilter
from retrieval.filters.bind import bind
from retrieval.filters.evaluate import predicate
from retrieval.filters.odata import read
from retrieval.filters.odata.operands import LONGEST
from retrieval.filters.odata.writer import write
from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import And, Boolean, Filter, Flag, Not, Or, Path, walk

SCHEMA: Schema = {
    "a": Field(name="a", type="Edm.Boolean"),
    "n": Field(name="n", type="Edm.Int32"),
    "s": Field(name="s", type="Edm.String"),
    "l": Field(name="l", type="Edm.GeographyPoint"),
    "r": Field(name="r", type="Edm.ComplexType", collection=True, fields=(Field(name="a", type="Edm.Boolean"),)),
}


def _run(text: str) -> bool:
    """Everything that is done with a filter, on one document."""
    filter = bind(read(text), SCHEMA)
    assert read(write(filter)) == filter
    assert hash(read(write(filter))) == hash(filter)
    assert repr(filter)
    return predicate(filter)({"a": True, "n": 2999, "s": "v1", "r": [{"a": True}]})


@pytest.mark.parametrize(
    "text",
    [
        " or ".join(f"n eq {one}" for one in range(3000)),
        " and ".join(f"n ne {one}" for one in range(3000, 6000)),
        "(" * 200 + "a" + ")" * 200,
        "not " * 200 + "a",
        "not (a and " * 99 + "a" + ")" * 99,
        "(a or (a and " * 99 + "a" + "))" * 99,
        "search.in(s, '" + "v1," * 350_000 + "')",
        " " * 200_000 + "a" + " " * 200_000,
        "s ne '" + "''" * 1_000_000 + "'",
        "a and s ne '" + "(" * 1_000_000 + "'",
    ],
    ids=["or", "and", "parentheses", "nots", "not-and", "and-or", "search.in", "blanks", "quotes", "text"],
)
def test_what_is_large_but_allowed_is_evaluated(text: str) -> None:
    assert isinstance(_run(text), bool)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (" or ".join(f"n eq {one}" for one in range(10_000)), "clauses"),
        ("(" * 50_000 + "a" + ")" * 50_000, "nests deeper"),
        ("(" * 1_000_000, "nests deeper"),
        ("not " * 75_000 + "a", "nests deeper"),
        ("r/any(x: " * 50_000, "nests deeper"),
        ("search.in(" * 50_000, "unexpected"),
        ("f(" * 50_000, "not supported"),
        (")" * 1_000_000, "unexpected ')'"),
        ("," * 1_000_000, "unexpected ','"),
        (" " * 1_000_000, "empty"),
        ("n eq " + "1" * 1_000_000, "neither a number nor a date"),
        ("n eq " + "1." * 1_000_000, "is not a number"),
        ("n eq 1e" + "9" * 1_000, "neither a number nor a date"),
        ("b" * 1_000_000, "128 characters"),
        ("b." * 1_000_000, "unexpected '.'"),
        ("b/" * 1_000_000, "words"),
        ("b/" * 100 + "b", "16 names"),
        ("s eq " + "'" * 1_000_001, "quote is missing"),
        ("s eq 'x" * 100_000, "written as two"),
        ("search.in(s" + ", 'a'" * 1_000_000, "words"),
        ("geo.intersects(l, geography'POLYGON((" + "1 2," * 500_000 + "))')", "points"),
        ("geo.distance(l, geography'POINT(" + "1" * 500_000 + " 2)') lt 5", "is not a point"),
        ("search.ismatch('x', '" + "f," * 500_000 + "')", "fields"),
        ("a and " * 50_000, "clauses"),
        ("a\n" * 500_000, "unexpected 'a'"),
        ("a" + " " * 1_000_000 + "b", "unexpected 'b'"),
        ("s eq '" + "x" * LONGEST + "'", "longer than"),
    ],
)
def test_what_is_too_large_or_nonsense_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadFilter) as refused:
        read(text)
    assert reason in refused.value.reason
    assert len(refused.value.message) < 300


def test_the_bounds_are_exact() -> None:
    assert read("(" * 200 + "a" + ")" * 200) == read("a")
    with pytest.raises(BadFilter):
        read("(" * 201 + "a" + ")" * 201)
    assert len(list(walk(read(" or ".join(["a"] * 3000))))) == 3001
    with pytest.raises(BadFilter):
        read(" or ".join(["a"] * 3001))


def test_brackets_side_by_side_do_not_count_as_depth() -> None:
    assert len(list(walk(read(" and ".join(["not (a)"] * 1000))))) == 2001


def _tower(storeys: int) -> Filter:
    filter: Filter = Flag(Path(("a",)))
    for storey in range(storeys):
        filter = Not(And((filter, Boolean(True))) if storey % 2 else Or((Boolean(False), filter)))
    return filter


def test_comparing_hashing_and_printing_a_tree_of_any_depth_does_not_recurse() -> None:
    one, same, other = _tower(5_000), _tower(5_000), _tower(5_001)
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert repr(one) == repr(same)
    assert len({one, same, other}) == 2
