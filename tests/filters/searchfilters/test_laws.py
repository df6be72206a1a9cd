"""SearchFilters, the tree and OData say the same: laws over random filters and people, with hostile texts.

`FILTER_COMPARISONS` sets how many pairs of a filter and a document each law looks at (100,000).
"""

import json
import os
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata, patterns
from retrieval.filters.evaluate import Predicate, predicate
from retrieval.filters.push import push
from retrieval.filters.searchfilters import reader, writer
from retrieval.filters.tree import (
    Boolean,
    Compare,
    Filter,
    Flag,
    Float,
    In,
    Integer,
    Lambda,
    Like,
    NotEmpty,
    Null,
    Path,
    String,
    all_of,
    any_of,
)
from tests.filters.people import FIELDS, NUMBERS, PATTERNS, REALS, WORDS, Person, holds, person, whole_tokens
from tests.filters.trees import EQUALITIES, OPERATORS, joined
from tests.laws import law

COMPARISONS: Final = int(os.environ.get("FILTER_COMPARISONS", "100000"))
PEOPLE: Final = 200
EXAMPLES: Final = max(COMPARISONS // PEOPLE, 1)
many = law(EXAMPLES)

Groups = list[dict[str, Any]]

_words, _patterns = st.sampled_from(WORDS), st.sampled_from(PATTERNS)
_cases = {word: st.sampled_from([word, word.upper(), word.title()]) for word in ("eq", "neq", "gt", "gte", "lt", "lte")}


def _maybe_text(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A list or an object, or the text of its JSON, as the typed SDKs send it."""
    return values | values.map(lambda value: json.dumps(value, ensure_ascii=False))


def _one_test(words: list[str], operands: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    word = st.sampled_from(words).flatmap(lambda name: _cases[name])
    return _maybe_text(st.builds(lambda name, operand: {name: operand}, word, operands))


_like = _maybe_text(_patterns.map(lambda pattern: {"like": pattern}))
_bare = _words.filter(lambda word: word != '{"gte":1}')
"""By itself this one would ask a text for a range, and be refused."""

_text_values = (
    _bare | _one_test(["eq", "neq"], _words) | _like | _maybe_text(st.lists(_words, max_size=4)) | st.integers(0, 20)
)


def _range(numbers: tuple[float, ...]) -> st.SearchStrategy[Any]:
    one = st.sampled_from(numbers)
    between = st.builds(lambda low, high: {"gte": low, "lt": high}, one, one)
    tests = _one_test(["eq", "neq", "gt", "gte", "lt", "lte"], one)
    return one | one.map(str) | tests | _maybe_text(between) | _maybe_text(st.lists(one, max_size=4))


_fields: dict[str, st.SearchStrategy[Any]] = {
    "姓名": _text_values,
    "岗位": _text_values,
    "code": _text_values,
    "tags": _text_values,
    "年龄": _range(NUMBERS),
    "salary": _range(REALS),
    "active": st.sampled_from([True, False, "true", "False", {"neq": True}, {"eq": "false"}]),
}
_word = st.sampled_from(["AND", "OR", "or", "And"])
_member = st.sampled_from(sorted(_fields)).flatmap(lambda name: st.tuples(st.just(name), _fields[name]))


def _groups(children: st.SearchStrategy[Any] | None) -> st.SearchStrategy[Any]:
    members = st.lists(_member, min_size=1, max_size=3).map(dict)
    words = st.fixed_dictionaries({}, optional={"_operator": _word, "_conditions_operator": _word})
    parts = [members, words]
    if children is not None:
        parts.append(st.fixed_dictionaries({"_conditions": st.lists(children, max_size=3)}))
    return st.tuples(*parts).map(lambda found: {name: value for part in found for name, value in part.items()})


filters: st.SearchStrategy[Groups] = st.lists(
    st.recursive(_groups(None), _groups, max_leaves=5), min_size=1, max_size=3
)


def people(seed: int, *, whole: bool = False) -> list[Person]:
    random = Random(seed)
    return [person(random, whole=whole) for _ in range(PEOPLE)]


def passing(filter: Filter | None) -> Predicate:
    return (lambda row: True) if filter is None else predicate(filter, matches=whole_tokens)


@many
@given(filters, st.integers(0, 2**32))
def test_a_filter_selects_what_its_json_says(groups: Groups, seed: int) -> None:
    ours = passing(reader.read(groups, FIELDS))
    as_text = passing(reader.read(json.dumps(groups), FIELDS))
    for row in people(seed):
        assert ours(row) == as_text(row) == holds(groups, row)


@many
@given(filters, st.integers(0, 2**32))
def test_what_is_pushed_to_the_index_loses_nothing_and_with_the_check_selects_the_same(
    groups: Groups, seed: int
) -> None:
    whole = reader.read(groups, FIELDS)
    assert whole is not None
    pushed = push(whole, FIELDS)
    text = None if pushed.filter is None else odata.write(pushed.filter)
    index, check = passing(None if text is None else odata.read(text)), passing(whole)
    for row in people(seed):
        assert index(row) or not check(row)
        assert not pushed.exact or index(row) == check(row)


@many
@given(filters, st.integers(0, 2**32))
def test_a_filter_by_way_of_odata_and_back_selects_the_same(groups: Groups, seed: int) -> None:
    whole = reader.read(groups, FIELDS)
    assert whole is not None
    pushed = push(whole, FIELDS)
    meant = odata.read(odata.write(pushed.filter)) if pushed.exact and pushed.filter is not None else whole
    there, rows = passing(meant), people(seed)
    try:
        back = passing(reader.read(json.dumps(writer.write(meant, FIELDS)), FIELDS))
    except UnsupportedFilter as error:
        assert error.construct == "a filter that excludes everything", error
        assert not any(there(row) for row in rows)
        return
    for row in rows:
        assert back(row) == there(row)


def _path(name: str) -> Path:
    return FIELDS[name].path


_element = Path(("t",))
_equalities = st.builds(Compare, st.just(_element), st.just("eq"), _words.map(String))
_inequalities = st.builds(Compare, st.just(_element), st.just("ne"), _words.map(String))
_lists = st.lists(_words.filter(bool), max_size=3).map(tuple)
_any = st.lists(_equalities, min_size=1, max_size=3).map(lambda tests: Lambda(_path("tags"), "any", "t", _or(tests)))
_all = st.lists(_inequalities, min_size=1, max_size=3).map(lambda tests: Lambda(_path("tags"), "all", "t", _and(tests)))


def _or(tests: Sequence[Filter]) -> Filter:
    return any_of(tests) or Boolean(False)


def _and(tests: Sequence[Filter]) -> Filter:
    return all_of(tests) or Boolean(True)


def _float(value: float) -> Float:
    return Float(float(value))


_text_paths = st.sampled_from([_path("姓名"), _path("岗位")])
_leaves: st.SearchStrategy[Filter] = (
    st.builds(Compare, _text_paths, st.sampled_from(EQUALITIES), _words.map(String))
    | st.builds(Compare, _text_paths, st.sampled_from(EQUALITIES), st.just(Null()))
    | st.builds(Compare, st.just(_path("年龄")), st.sampled_from(OPERATORS), st.sampled_from(NUMBERS).map(Integer))
    | st.builds(Compare, st.just(_path("salary")), st.sampled_from(OPERATORS), st.sampled_from(REALS).map(_float))
    | st.builds(In, _text_paths, _lists)
    | st.builds(Like, _text_paths, _patterns)
    | st.builds(
        lambda path, pattern: patterns.search(Like(path, pattern), str(path)), st.just(_path("code")), _patterns
    )
    | st.just(Flag(_path("active")))
    | st.builds(Boolean, st.booleans())
    | st.just(NotEmpty(_path("tags")))
    | st.builds(Lambda, st.just(_path("tags")), st.just("any"), st.just("t"), st.builds(In, st.just(_element), _lists))
    | _any
    | _all
)


@many
@given(joined(_leaves, most=6), st.integers(0, 2**32))
def test_a_filter_of_azure_as_searchfilters_never_selects_more(filter: Filter, seed: int) -> None:
    try:
        written = writer.write(filter, FIELDS)
    except UnsupportedFilter:
        return
    ours, theirs = passing(filter), passing(reader.read(written, FIELDS))
    for row in people(seed):
        assert ours(row) or not theirs(row)
    for row in people(seed, whole=True):
        assert ours(row) == theirs(row)
