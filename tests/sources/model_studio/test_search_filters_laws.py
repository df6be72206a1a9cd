"""A filter of Azure as SearchFilters never selects more: a law over random filters and people, with hostile texts."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import UnsupportedFilter
from retrieval.filters.tree import (
    Boolean,
    Compare,
    Filter,
    Flag,
    Float,
    In,
    Integer,
    Lambda,
    NotEmpty,
    Null,
    Path,
    String,
    all_of,
    any_of,
)
from retrieval.sources.model_studio import search_filters
from tests.filters.people import EXAMPLES, FIELDS, NUMBERS, REALS, WORDS, holds, passing, people
from tests.filters.trees import EQUALITIES, OPERATORS, joined
from tests.laws import law

many = law(EXAMPLES)

_words = st.sampled_from(WORDS)


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
        written = search_filters.write(filter, FIELDS)
    except UnsupportedFilter:
        return
    ours = passing(filter)
    for row in people(seed):
        assert ours(row) or not holds(written, row)
    for row in people(seed, whole=True):
        assert ours(row) == holds(written, row)
