"""SearchFilters, the tree and OData say the same: laws over random filters and people, with hostile texts.

`FILTER_COMPARISONS` sets how many pairs of a filter and a document each law looks at (100,000).
"""

import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval.contracts.model_studio import search_filters
from retrieval.contracts.model_studio.index_filter import push
from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata
from retrieval.filters.tree import Like, walk
from tests.filters.people import EXAMPLES, FIELDS, NUMBERS, PATTERNS, REALS, WORDS, holds, passing, people
from tests.laws import law
from tests.rooms import NEEDS_BASES_OF_STUDIO

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


@many
@given(filters, st.integers(0, 2**32))
def test_a_filter_selects_what_its_json_says(groups: Groups, seed: int) -> None:
    ours = passing(search_filters.read(groups, FIELDS))
    as_text = passing(search_filters.read(json.dumps(groups), FIELDS))
    for row in people(seed):
        assert ours(row) == as_text(row) == holds(groups, row)


@many
@given(filters, st.integers(0, 2**32))
def test_what_is_pushed_to_the_index_loses_nothing_and_with_the_check_selects_the_same(
    groups: Groups, seed: int
) -> None:
    whole = search_filters.read(groups, FIELDS)
    assert whole is not None
    pushed = push(whole, FIELDS)
    text = None if pushed.filter is None else odata.write(pushed.filter)
    index, check = passing(None if text is None else odata.read(text)), passing(whole)
    for row in people(seed):
        assert index(row) or not check(row)
        assert not pushed.exact or index(row) == check(row)


@NEEDS_BASES_OF_STUDIO
@many
@given(filters, st.integers(0, 2**32))
def test_a_filter_without_patterns_by_way_of_odata_and_back_selects_the_same(groups: Groups, seed: int) -> None:
    from retrieval.sources.model_studio import search_filters as written

    whole = search_filters.read(groups, FIELDS)
    assert whole is not None
    assume(not any(isinstance(node, Like) for node in walk(whole)))
    meant = odata.read(odata.write(whole))
    there, rows = passing(meant), people(seed)
    try:
        back = passing(search_filters.read(json.dumps(written.write(meant, FIELDS)), FIELDS))
    except UnsupportedFilter as error:
        assert error.construct == "a filter that excludes everything", error
        assert not any(there(row) for row in rows)
        return
    for row in rows:
        assert back(row) == there(row)
