"""What holds for every filter, not for chosen ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadFilter, UnsupportedFilter
from retrieval.filters.bind import bind
from retrieval.filters.evaluate import predicate
from retrieval.filters.odata import read
from retrieval.filters.odata.writer import write
from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import And, Compare, Filter, Not, Or, Path, String, all_of, any_of
from tests.laws import law

from .brute_force import holds
from .trees import any_tree, fitting_tree, stays

_PLAIN = (
    Field(name="name", type="Edm.String"),
    Field(name="rating", type="Edm.Int32"),
    Field(name="price", type="Edm.Double"),
    Field(name="open", type="Edm.Boolean"),
    Field(name="renovated", type="Edm.DateTimeOffset"),
    Field(name="location", type="Edm.GeographyPoint"),
    Field(name="tags", type="Edm.String", collection=True),
)
STAYS: Schema = {
    field.name: field
    for field in (*_PLAIN, Field(name="rooms", type="Edm.ComplexType", collection=True, fields=_PLAIN))
}
many = law(200)
OURS = Compare(Path(("owner",)), "eq", String("us"))

_words = [
    "'",
    "''",
    ")",
    "(",
    " or ",
    " and ",
    "not ",
    "true",
    "owner",
    " eq ",
    " ne ",
    "'them'",
    "/any(",
    "x: ",
    "null",
]
_tricks = ["--", "\n", "search.in(", ", ", "%27", "geography'", "\x00", "owner ne 'us'", "true or (true"]
_pieces = st.sampled_from(_words + _tricks)


@many
@given(any_tree)
def test_what_is_written_reads_as_the_same_tree(filter: Filter) -> None:
    again = read(write(filter))
    assert again == filter
    assert hash(again) == hash(filter)


@many
@given(any_tree, any_tree)
def test_different_trees_are_written_differently(one: Filter, other: Filter) -> None:
    assert (one == other) == (write(one) == write(other))


@many
@given(fitting_tree, stays)
def test_evaluation_agrees_with_an_evaluator_that_knows_no_tricks(filter: Filter, stay: dict[str, object]) -> None:
    assert predicate(filter)(stay) == holds(filter, stay)


@many
@given(fitting_tree, stays)
def test_binding_changes_no_answer(filter: Filter, stay: dict[str, object]) -> None:
    bound = bind(filter, STAYS)
    assert predicate(bound)(stay) == predicate(filter)(stay)
    assert bind(bound, STAYS) == bound


@many
@given(st.lists(fitting_tree, min_size=2, max_size=4), stays)
def test_de_morgan(filters: list[Filter], stay: dict[str, object]) -> None:
    both, either = all_of(filters), any_of(filters)
    assert both is not None and either is not None
    negated = [Not(one) for one in filters]
    assert predicate(Not(both))(stay) == predicate(Or(tuple(negated)))(stay)
    assert predicate(Not(either))(stay) == predicate(And(tuple(negated)))(stay)


@many
@given(st.lists(_pieces, max_size=12).map("".join) | any_tree.map(write), st.sampled_from(["us", "them", None]))
def test_a_filter_cannot_close_our_parenthesis(text: str, owner: str | None) -> None:
    try:
        theirs = read(text)
        predicate(theirs, matches=lambda _: lambda _: True)
    except BadFilter:
        return
    for filters in ([OURS, theirs], [theirs, OURS]):
        together = all_of(filters)
        assert isinstance(together, And) and OURS in together.operands
        again = read(write(together))
        assert again == together
        assert owner == "us" or not predicate(again, matches=lambda _: lambda _: True)({"owner": owner})


@pytest.mark.parametrize("theirs", ["true", "owner ne 'us'", "owner eq 'them' or true", "not (owner eq 'us')"])
def test_joining_never_widens_what_we_allow(theirs: str) -> None:
    together = all_of([OURS, read(theirs)])
    assert together is not None
    assert not predicate(read(write(together)))({"owner": "them"})


@many
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tree = read(text)
    except BadFilter as refused:
        assert refused.position is not None and 0 <= refused.position <= len(text)
    else:
        assert read(write(tree)) == tree


@many
@given(st.lists(_pieces, max_size=30).map("".join))
def test_any_pile_of_words_is_read_or_refused(text: str) -> None:
    try:
        tree = read(text)
    except BadFilter as refused:
        assert refused.position is not None and 0 <= refused.position <= len(text)
    else:
        assert read(write(tree)) == tree


@pytest.mark.parametrize("name", ["", "a b", "a'b", "姓名", "a-b", "1a", "not", "true", "NaN", "a" * 129, "a) or (b"])
def test_a_field_that_the_dialect_cannot_name_is_refused_not_written(name: str) -> None:
    with pytest.raises(UnsupportedFilter):
        write(Compare(Path((name,)), "eq", String("x")))
