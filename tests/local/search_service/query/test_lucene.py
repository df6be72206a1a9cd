"""The full Lucene syntax, as trees and as what a search finds."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest
from azure.search.documents import SearchClient
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.query import lucene, lucene_regex
from retrieval.local.search_service.query.tree import (
    All,
    Boosted,
    Clauses,
    Fuzzy,
    Mode,
    Phrase,
    Prefix,
    Query,
    Regex,
    Wildcard,
    Within,
    Words,
)
from tests.environments import ROOT, needs
from tests.local.search_service.conftest import Found, Send
from tests.third_parties import AZURE_PYTHON, worker

A, B, C, D = (Words(letter) for letter in "abcd")


def read(text: str, mode: Mode = "any") -> Query:
    return lucene.read(text, mode=mode, fields=["story", "Address/City"])


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("a b", Clauses(should=(A, B))),
        ("a OR b", Clauses(should=(A, B))),
        ("a || b", Clauses(should=(A, B))),
        ("a AND b", Clauses(must=(A, B))),
        ("a && b", Clauses(must=(A, B))),
        ("a AND b OR c", Clauses(must=(A, B), should=(C,))),
        ("a OR b AND c", Clauses(must=(B, C), should=(A,))),
        ("a b AND c d", Clauses(must=(B, C), should=(A, D))),
        ("+a b -c", Clauses(must=(A,), should=(B,), must_not=(C,))),
        ("a NOT b", Clauses(should=(A,), must_not=(B,))),
        ("a AND NOT b", Clauses(must=(A,), must_not=(B,))),
        ("a !b", Clauses(should=(A,), must_not=(B,))),
        ("(a b) AND c", Clauses(must=(Clauses(should=(A, B)), C))),
        ("a^2.5", Boosted(A, 2.5)),
        ("(a b)^3", Boosted(Clauses(should=(A, B)), 3.0)),
        ("story:a", Within(A, "story")),
        ("story:(a b)", Within(Clauses(should=(A, B)), "story")),
        ("Address/City:a", Within(A, "Address/City")),
        ("story:*", Within(lucene.ANY_WORD, "story")),
        ("*", All()),
        ("*:*", All()),
        ('"a b"', Phrase("a b")),
        ('"a b"~3', Phrase("a b", 3)),
        ('"a \\" b"', Phrase('a " b')),
        ("abc~", Fuzzy("abc", 2)),
        ("abc~1", Fuzzy("abc", 1)),
        ("abc~9", Fuzzy("abc", 2)),
        ("abcd~0.5", Fuzzy("abcd", 2)),
        ("ab*", Prefix("ab")),
        ("*ab", Wildcard(("", "ab"), "*")),
        ("a?b*", Wildcard(("a", "b", ""), "?*")),
        ("/[mh]otel/", Regex("[mh]otel", 8)),
        ("a\\:b", Words("a:b")),
        ("a\\*", Words("a*")),
        ("wi-fi c++", Clauses(should=(Words("wi-fi"), Words("c++")))),
        ("'a' <b", Clauses(should=(Words("'a'"), Words("<b")))),
        ("and or not", Clauses(should=(Words("and"), Words("or"), Words("not")))),
        ("both a AND either", Clauses(must=(A, Words("either")), should=(Words("both"),))),
        ("story:both", Within(Words("both"), "story")),
    ],
)
def test_a_text_is_read(text: str, tree: Query) -> None:
    assert read(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a b", Clauses(must=(A, B))),
        ("a OR b", Clauses(should=(A, B))),
        ("a OR b c", Clauses(must=(C,), should=(A, B))),
        ("a -b", Clauses(must=(A,), must_not=(B,))),
    ],
)
def test_with_search_mode_all_what_nothing_joins_is_required(text: str, tree: Query) -> None:
    assert read(text, "all") == tree


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a AND", "full Lucene syntax"),
        ("(a", "full Lucene syntax"),
        ("a)", "full Lucene syntax"),
        ('"a', "position 0"),
        ("a /b", "position 2"),
        ("a\\", "position 1"),
        ("a^", "position 1"),
        ("~2", "full Lucene syntax"),
        ("-a", "negations alone"),
        ("NOT a -b", "negations alone"),
        ("story:[a TO b]", "$filter"),
        ("nothing:a", "nothing"),
        ("story:story:a", "two fields"),
        ("a^2^3", "twice"),
        ("a^9999999", "at most"),
        ("((a^1000)^1000)^1000", "at most"),
        ("a*b~", "wildcard"),
        ("a " * 3_001, "3000"),
        ("(" * 101 + "a" + ")" * 101, "nests"),
        ("+" * 12_001 + "a", "12000"),
        ("-" * 101 + "a", "nests"),
        ("a*" * 21, "wildcards"),
        ("*" + "a" * 1_001 + "*", "wildcards"),
        ("/" + "a" * 1_001 + "/", "1000"),
        ("/a{900}/ " * 5, "too many"),
        ("ab~ " * 200, "too many"),
        ("a*b " * 200, "too many"),
    ],
)
def test_what_is_wrong_is_said(text: str, named: str) -> None:
    with pytest.raises(InvalidArgument, match=r"(?s)") as raised:
        read(text)
    assert named in raised.value.message


@pytest.mark.parametrize(
    ("pattern", "translated"),
    [
        ("[mh]otel", "[mh]otel"),
        ("a.b", "a(?s:.)b"),
        ("a@", "a(?:(?s:.)*)"),
        ('"a.b"c', "(?:a\\x{2E}b)c"),
        ("a\\.b", "a\\x{2E}b"),
        ("^a$", "\\x{5E}a\\x{24}"),
        ("\\d", "d"),
        ("[^a-c\\]]", "[^a-c\\x{5D}]"),
        ("(ab|c){2,3}d?", "(?:ab|c){2,3}d?"),
    ],
)
def test_a_regular_expression_is_written_for_the_engine(pattern: str, translated: str) -> None:
    assert lucene_regex.translated(pattern).pattern == translated


@pytest.mark.parametrize("pattern", ["a&b", "~a", "<1-9>", "#"])
def test_the_rarer_operators_are_refused_by_name(pattern: str) -> None:
    with pytest.raises(Unsupported):
        lucene_regex.translated(pattern)


@pytest.mark.parametrize("pattern", ["(", ")", "a)", "*a", "a{3,2}", "[a", "a{2000}", "((a{50}){50}){50}", "(" * 21])
def test_a_regular_expression_that_is_none_or_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidArgument):
        lucene_regex.translated(pattern)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("story:ketch", {"1"}),
        ("name:ketch", set()),
        ("ketch OR lamp", {"1", "3"}),
        ("wooden AND engine", {"1"}),
        ("wooden -engine", {"4"}),
        ("wooden NOT (salt OR slate)", {"4"}),
        ("+wooden engine", {"1", "4"}),
        ('"deep water"', {"2"}),
        ('"water deep"', set()),
        ('"water deep"~2', {"2"}),
        ('"lifts water"~3', {"2"}),
        ("lam*", {"3"}),
        ("*tch", {"1"}),
        ("k?tch", {"1"}),
        ("K?TCH", {"1"}),
        ("kitch~1", {"1"}),
        ("kitsch~1", set()),
        ("kitsch~2", {"1"}),
        ("/[kp]etch/", {"1"}),
        ("/k.*h/ AND story:salt", {"1"}),
        ("harbour:Tarbert", {"2", "3"}),
        ('harbour:"Port Ellen"', {"1"}),
        ("harbour:tarbert", set()),
        ("harbour:Tar*", {"2", "3"}),
        ("harbour:tar*", set()),
        ("harbour:Port\\ Ellen", {"1"}),
        ("harbour:*", {"1", "2", "3"}),
        ("tags:(wood AND sail)", {"1"}),
        ("ketch harbour:Tarbert", {"1", "2", "3"}),
        ("*", {"1", "2", "3", "4"}),
        ("the", set()),
        ("the AND ketch", {"1"}),
    ],
)
def test_the_full_syntax_finds(found: Found, text: str, keys: set[str]) -> None:
    assert set(found(text, query_type="full", search_fields=["name", "story"])) == keys


def test_a_field_in_the_text_goes_before_search_fields(found: Found) -> None:
    assert found("story:ketch name:ketch", query_type="full", search_fields=["name"]) == ["1"]


def test_a_boost_multiplies_the_score(boats: SearchClient) -> None:
    plain, boosted = (
        next(iter(boats.search(text, query_type="full")))["@search.score"] for text in ("ketch", "ketch^4")
    )
    assert boosted == pytest.approx(4 * plain, rel=1e-5)


def test_a_boost_changes_the_order(found: Found) -> None:
    assert found("ketch^9 lamp", query_type="full")[0] == "1"
    assert found("ketch lamp^9", query_type="full")[0] == "3"


@pytest.mark.parametrize("text", ["wood*", "/wo.*/", "w?od*", "woodn~2"])
def test_what_a_pattern_finds_has_the_score_1(boats: SearchClient, text: str) -> None:
    hits = list(boats.search(text, query_type="full"))
    assert len(hits) == 2
    assert {hit["@search.score"] for hit in hits} == {1.0}


def test_ismatch_takes_the_full_syntax(found: Found) -> None:
    assert found("*", filter="search.ismatch('k?tch OR lamp~1', 'story', 'full', 'any')") == ["1", "3"]


def test_a_refusal_is_a_400(boats: SearchClient, send: Send) -> None:
    for text in ("a AND", "/(((((a{30}){30}/", "/a&b/", "crew:5"):
        answer = send("POST", "/indexes/boats/docs/search", {"search": text, "queryType": "full"})
        assert answer.status_code == 400
        assert answer.json()["error"]["message"]


words = st.sampled_from(["ketch", "lamp", "wooden", "engine", "zebra", "ketc~1", "eng*", '"deep water"', "story:salt"])
trees = st.recursive(
    words,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"({two[0]} AND {two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} OR {two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} AND NOT {two[1]})"),
    ),
    max_leaves=6,
)


def test_parentheses_mean_sets(found: Found) -> None:
    def keys(text: str) -> frozenset[str]:
        return frozenset(found(text, query_type="full"))

    @given(trees, trees)
    def check(left: str, right: str) -> None:
        one, other = keys(left), keys(right)
        assert keys(f"({left}) AND ({right})") == one & other
        assert keys(f"({left}) OR ({right})") == one | other
        assert keys(f"({left}) AND NOT ({right})") == one - other

    check()


plain = st.text(
    st.characters(exclude_categories=["Z", "Cc", "Cs"], exclude_characters='"+-!(){}[]:^~*?\\/&|'),
    min_size=1,
    max_size=12,
)
names = st.sampled_from("both either TO And blank phrase regex join near distance boost range sign word".split())
operators = frozenset({"AND", "OR", "NOT"})


@given(st.lists(plain | names, min_size=1, max_size=12).filter(operators.isdisjoint), st.sampled_from(["any", "all"]))
def test_a_sentence_of_plain_words_is_read_as_those_words(sentence: list[str], mode: Mode) -> None:
    said = tuple(map(Words, sentence))
    clauses = Clauses(should=said) if mode == "any" else Clauses(must=said)
    assert read(" ".join(sentence), mode) == (said[0] if len(said) == 1 else clauses)


def test_words_that_name_pieces_of_the_syntax_are_searched_for(boats: SearchClient, found: Found) -> None:
    boats.upload_documents([{"id": "5", "name": "Twins", "story": "Both of them leaked, and either would sink."}])
    assert found("both either", query_type="full", search_mode="all") == ["5"]


@given(
    st.text(alphabet=st.sampled_from('ab ~^"*?/\\():+-!&|[]{}<>.1AND OR'), max_size=40), st.sampled_from(["any", "all"])
)
def test_any_text_is_read_or_refused(text: str, mode: Any) -> None:
    try:
        read(text, mode)
    except (InvalidArgument, Unsupported) as refusal:
        assert refusal.status == 400


ASKED: Final = """
from retrieval.local.search_service.query import lucene
print(lucene.read("a AND b", mode="any", fields=[]))
"""


@pytest.mark.parametrize("python", [None, pytest.param(AZURE_PYTHON, marks=pytest.mark.slow)])
def test_the_parser_is_loaded_without_a_word_where_its_tables_are_those_of_another_python(
    python: str | None, tmp_path: Path
) -> None:
    """Without tables luqum's generator makes them, as it does on Python 3.13 with those that the package brings."""
    if python is not None:
        needs(python)
    program = sys.executable if python is None else worker()
    found = find_spec("luqum")
    assert found is not None and found.origin is not None
    unmade = shutil.ignore_patterns("parsetab.py", "parser.out", "__pycache__")
    shutil.copytree(Path(found.origin).parent, tmp_path / "luqum", ignore=unmade)
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [str(program), "-W", "error", "-c", ASKED]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.startswith("Clauses(")
    assert (tmp_path / "luqum" / "parsetab.py").exists()
