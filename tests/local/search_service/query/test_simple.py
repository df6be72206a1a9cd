"""The simple syntax as a tree, after the rules of Lucene's SimpleQueryParser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query.simple import read
from retrieval.local.search_service.query.tree import All, Both, Either, Except, Mode, Phrase, Prefix, Query, Words


def words(*texts: str) -> tuple[Words, ...]:
    return tuple(Words(text) for text in texts)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", All()),
        (" * ", All()),
        ("wifi", Words("wifi")),
        ("wifi luxury", Either(words("wifi", "luxury"))),
        ("wifi+luxury", Both(words("wifi", "luxury"))),
        ("wifi | luxury + pool", Both((Either(words("wifi", "luxury")), Words("pool")))),
        ("wifi + (luxury | pool)", Both((Words("wifi"), Either(words("luxury", "pool"))))),
        ("wifi -luxury", Either((Words("wifi"), Except(Words("luxury"))))),
        ("wifi --luxury", Either(words("wifi", "luxury"))),
        ("wifi - luxury", Either(words("wifi", "luxury"))),
        ("-(wifi luxury)", Except(Either(words("wifi", "luxury")))),
        ("well-known", Words("well-known")),
        ('"a b" c', Either((Phrase("a b"), Words("c")))),
        ('-"a b"', Except(Phrase("a b"))),
        ('say "a b', Either(words("say", "a", "b"))),
        ('""', Words("")),
        ("lux*", Prefix("lux")),
        ("l*x", Words("l*x")),
        (r"lux\*", Words("lux*")),
        (r"\(lux\) \-a \"b\"", Either(words("(lux)", "-a", '"b"'))),
        ("lux\\", Words("lux\\")),
        ("((lux))", Words("lux")),
        ("a) (b", Either(words("a", "b"))),
        ("() + a", Words("a")),
        ("+ | a +", Words("a")),
    ],
)
def test_a_text_is_read_as_lucene_reads_it(text: str, tree: Query) -> None:
    assert read(text, mode="any") == tree


def test_the_mode_joins_what_stands_side_by_side() -> None:
    assert read("a b | c", mode="all") == Either((Both(words("a", "b")), Words("c")))


@given(
    st.text(alphabet=st.one_of(st.sampled_from('abc "()+-|*\\'), st.characters(codec="utf-8")), max_size=80),
    st.sampled_from(["any", "all"]),
)
def test_no_text_fails(text: str, mode: Mode) -> None:
    read(text, mode=mode)


@given(st.lists(st.from_regex(r"[a-z0-9][a-z0-9-]*[a-z0-9]", fullmatch=True), min_size=2, max_size=30))
def test_words_without_operators_are_all_kept_in_their_order(found: list[str]) -> None:
    assert read(" ".join(found), mode="any") == Either(words(*found))


def test_parentheses_that_change_nothing_may_be_as_deep_as_they_like() -> None:
    assert read("(" * 40_000 + "a" + ")" * 40_000, mode="any") == Words("a")


@pytest.mark.parametrize("text", ["a " * 3001, "-(a b " * 101 + ")" * 101, "a + b | " * 101])
def test_more_than_the_limits_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        read(text, mode="any")
