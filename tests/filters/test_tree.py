import math
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadFilter, UnsupportedFilter
from retrieval.filters import moment
from retrieval.filters.evaluate import predicate
from retrieval.filters.odata import read
from retrieval.filters.odata.writer import write
from retrieval.filters.tree import (
    And,
    Boolean,
    Compare,
    DateTimeOffset,
    Distance,
    Flag,
    Float,
    In,
    Integer,
    Not,
    Null,
    Or,
    Path,
    Point,
    String,
    all_of,
    any_of,
    walk,
)

A, B, C = (Flag(Path((name,))) for name in "abc")


def test_constants_of_different_types_are_different() -> None:
    constants = [
        Integer(1),
        Float(1.0),
        Boolean(True),
        String("1"),
        Null(),
        DateTimeOffset(1),
        Integer(0),
        Boolean(False),
    ]
    assert len(set(constants)) == len(constants)
    assert all((one == other) == (one is other) for one in constants for other in constants)


def test_nan_equals_nan_so_that_equal_filters_are_equal() -> None:
    assert Float(math.nan) == Float(float("nan"))
    assert hash(Float(math.nan)) == hash(Float(-math.nan))
    assert Float(math.nan) != Float(1.0)
    assert Float(math.nan) != math.nan


def test_joining_flattens() -> None:
    assert all_of([A, And((B, C))]) == And((A, B, C))
    assert any_of([Or((A, B)), C]) == Or((A, B, C))
    assert all_of([A, Or((B, C))]) == And((A, Or((B, C))))


def test_joining_one_filter_gives_it_back_and_joining_none_gives_none() -> None:
    assert all_of([A]) is A
    assert any_of(iter([A])) is A
    assert all_of([]) is None
    assert any_of([]) is None


@pytest.mark.parametrize("kind", [And, Or])
def test_a_form_that_is_not_canonical_cannot_be_built(kind: type[And] | type[Or]) -> None:
    with pytest.raises(ValueError, match="two operands"):
        kind((A,))
    with pytest.raises(ValueError, match="among them"):
        kind((A, kind((B, C))))


def test_a_list_cannot_hold_what_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="empty value"):
        In(Path(("a",)), ("x", ""))


def test_a_tree_is_walked_from_left_to_right_parents_first() -> None:
    tree = read("a and not b or r/any(x: x/c)")
    assert [type(node).__name__ for node in walk(tree)] == ["Or", "And", "Flag", "Not", "Flag", "Lambda", "Flag"]


def test_a_nested_tree_prints_its_nodes_parents_first() -> None:
    printed = repr(And((A, Not(B))))
    assert printed.startswith("And[")
    assert printed.index("'a'") < printed.index("Not") < printed.index("'b'")


@pytest.mark.parametrize(
    "filter",
    [
        Compare(Path(("a",)), "eq", String("\udc00")),
        Compare(Path(("a",)), "eq", Integer(2**63)),
        Compare(Path(("a",)), "eq", DateTimeOffset(-1)),
        Compare(Path(("a",) * 17), "eq", Integer(1)),
        Distance(Path(("a",)), Point(math.nan, 0.0), "lt", Float(1.0)),
        Distance(Path(("a",)), Point(0.0, 91.0), "lt", Float(1.0)),
    ],
)
def test_what_the_dialect_has_no_words_for_is_an_error(filter: Compare | Distance) -> None:
    with pytest.raises(UnsupportedFilter):
        write(filter)


def test_a_full_text_search_needs_a_text_index() -> None:
    with pytest.raises(UnsupportedFilter):
        predicate(read("search.ismatch('x')"))


def test_a_lambda_that_refers_outside_is_not_evaluated() -> None:
    with pytest.raises(BadFilter):
        predicate(read("r/any(x: y eq 1)"))


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("a eq 1", {"a": True}),
        ("a eq true", {"a": 1}),
        ("a eq 1", {"a": "1"}),
        ("a gt 1", {"a": [5]}),
        ("a eq 'x'", {"a": ["x"]}),
        ("a/b eq 1", {"a": [{"b": 1}]}),
        ("a gt 2020-01-01T00:00:00Z", {"a": "2021"}),
        ("a gt 2020-01-01T00:00:00Z", {"a": "9" * 100}),
        ("a/any()", {"a": "text"}),
        ("geo.distance(a, geography'POINT(0 0)') ge 0", {"a": {"type": "Point", "coordinates": ["x", None]}}),
        ("geo.distance(a, geography'POINT(0 0)') ge 0", {"a": {"type": "Line", "coordinates": [1, 2]}}),
    ],
)
def test_a_value_of_the_wrong_type_counts_as_missing(text: str, document: dict[str, object]) -> None:
    assert not predicate(read(text))(document)


def test_a_datetime_is_as_good_as_its_text() -> None:
    recent = predicate(read("a gt 2020-01-01T00:00:00Z"))
    assert recent({"a": datetime(2020, 1, 1, 0, 0, 1, tzinfo=UTC)})
    assert recent({"a": datetime(2020, 1, 1, 1, 0, tzinfo=timezone(timedelta(hours=-1)))})
    assert not recent({"a": datetime(2020, 1, 1)})


@given(st.integers(0, moment.LAST))
def test_a_moment_reads_as_it_was_written(ticks: int) -> None:
    assert moment.ticks(moment.text(ticks)) == ticks


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])))
def test_a_moment_is_the_same_from_a_datetime_and_from_its_text(when: datetime) -> None:
    try:
        expected = moment.of(when)
    except OverflowError:
        return
    assert moment.ticks(when.isoformat()) == expected


def test_importing_the_filters_does_not_load_the_parser() -> None:
    modules = "retrieval.filters.odata, retrieval.filters.bind, retrieval.filters.evaluate"
    code = f"import sys, {modules}; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
