"""Java's regular expressions in analyzers: RE2 matches as a matcher that goes back; what it lacks is refused."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.text.lexical.java_pattern import compiled
from tests.local.search_service.query.test_hostile_searches import ask

_SIGNS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\w", "[a-c]"])
_TIMES = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{1,}"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        inner.map(lambda one: f"({one})"),
        st.tuples(inner, st.sampled_from(["+", "+?", "{2}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    )


_NEVER_EMPTY = st.recursive(_SIGNS, _grown, max_leaves=4)
_LEAVES = st.one_of(
    _NEVER_EMPTY,
    st.sampled_from([r"\b", "^", r"\z", "(?m:$)", ""]),
    st.tuples(_NEVER_EMPTY, _TIMES).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
)
expressions = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        inner.map(lambda one: f"({one})"),
    ),
    max_leaves=8,
)


def by_python(expression: str, text: str) -> list[tuple[int, ...]]:
    """Spans of all matches and groups; after an empty match the search goes on one character later, as Java's does."""
    form = re.compile(expression.replace(r"\z", r"\Z"), re.ASCII)
    found: list[tuple[int, ...]] = []
    at = 0
    while at <= len(text) and (match := form.search(text, at)) is not None:
        found.append(tuple(place for span in match.regs for place in span))
        at = match.end() + (match.end() == match.start())
    return found


@given(expressions, st.text(alphabet="abc \n", min_size=1, max_size=8))
def test_matches_and_groups_are_those_of_a_matcher_that_goes_back(expression: str, text: str) -> None:
    assert [tuple(spans) for spans in compiled(expression).matches(text)] == by_python(expression, text)


@pytest.mark.parametrize(
    ("expression", "flags", "text", "expected"),
    [
        (r"\w+", (), "naïve a_1", ["na", "ve", "a_1"]),
        (r"\W", (), "é", ["é"]),
        (r"\p{L}+", (), "naïve 東京 1", ["naïve", "東京"]),
        (r"\P{L}", (), "a1", ["1"]),
        (r"\pN", (), "a1½", ["1", "½"]),
        (r"\p{Lower}+", (), "aéB", ["a"]),
        (r"[]a]+", (), "]a", ["]a"]),
        (r"[\]\-\\]", (), r"a]-\ ", ["]", "-", "\\"]),
        (r"[+-]", (), "a+b-c", ["+", "-"]),
        (r"\Q.*\E.", (), ".*x..", [".*x"]),
        (r"\x41\u0042\x{43}\t", (), "ABC\t", ["ABC\t"]),
        (r"(?i)ab(?-i)c", (), "ABc ABC", ["ABc"]),
        (r"é", ("CASE_INSENSITIVE",), "Éé", ["É", "é"]),
        (r"é", ("CASE_INSENSITIVE", "UNICODE_CASE"), "Éé", ["É", "é"]),
        (r"a.b", ("UNIX_LINES",), "a\nb a\x85b", ["a\x85b"]),
        (r"a.b", ("DOTALL",), "a\nb", ["a\nb"]),
        (r"a.b", ("LITERAL",), "axb a.b", ["a.b"]),
        (r".$", (), "ab", ["b"]),
        (r".\z", (), "ab\n", []),
        (r"^.", ("MULTILINE",), "a\nb", ["a", "b"]),
        (r"\A.", ("MULTILINE",), "a\nb", ["a"]),
        (r"\s+\S", (), "a\v\tb", ["\v\tb"]),
        (r"[\s\p{Punct}]+", (), "a, b", [", "]),
        (r"\P{Alpha}", (), "aé", ["é"]),
        (r"\p{IsLatin}+\p{gc=Nd}", (), "é1 я1", ["é1"]),
        (r"[(?=|{]+", (), "a(=|{?", ["(=|{?"]),
        (r"[\Q^]\E]", (), "a]^", ["]", "^"]),
        (r".", (), "\ud800é", ["\ud800", "é"]),
        (r"(?<year>\d{4})-", (), "2026-1", ["2026-"]),
        (r"\0101", (), "A1", ["A"]),
    ],
)
def test_the_syntax_is_javas(expression: str, flags: tuple[str, ...], text: str, expected: list[str]) -> None:
    assert [text[spans[0] : spans[1]] for spans in compiled(expression, flags).matches(text)] == expected


@pytest.mark.parametrize(
    "expression",
    [
        "(",
        ")",
        "a)",
        "[",
        "[a",
        "*",
        "a|*",
        "a{2",
        "a{3,2}",
        "a{1001}",
        "(?<1>a)",
        "(?P<a>b)",
        "[z-a]",
        r"[a-\d]",
        "\ud800",
    ],
)
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(InvalidArgument):
        compiled(expression)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        (r"(a)\1", "a back reference"),
        (r"\k<a>", "a back reference"),
        ("(?=a)", "look-ahead"),
        ("(?!a)", "look-ahead"),
        ("(?<=a)", "look-behind"),
        ("(?<!a)", "look-behind"),
        ("(?>a)", "an atomic group"),
        ("a*+", "a possessive repetition"),
        ("a{2}+", "a possessive repetition"),
        ("[a-z&&[^aeiou]]", "&& within brackets"),
        ("[a-c[x-z]]", "a bracket within brackets"),
        (r"\G", r"\G"),
        (r"\R", r"\R"),
        (r"\Z", r"\Z"),
        (r"\B", r"\B"),
        (r"[\h]", r"\h"),
        (r"\C", r"\C"),
        (r"\p{IsAlphabetic}", r"\p{IsAlphabetic}"),
        ("(?U)a", "(?U)"),
        ("(?x: a)", "(?x:"),
    ],
)
def test_what_re2_lacks_is_refused_by_name(expression: str, named: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(named)):
        compiled(expression)


@pytest.mark.parametrize("flag", ["COMMENTS", "CANON_EQ"])
def test_a_flag_that_re2_lacks_is_refused_by_name(flag: str) -> None:
    with pytest.raises(Unsupported, match=flag):
        compiled("a", (flag,))


@pytest.mark.parametrize("expression", [r"(\p{L}{3}){3}", "(a{1000}){900}", "a" * 1001])
def test_an_expression_has_a_size(expression: str) -> None:
    with pytest.raises(InvalidArgument):
        compiled(expression)


NEVER_THE_SAME = "".join(format(number, "011b") for number in range(1_800)).replace("0", "a").replace("1", "b")
HOSTILE = {
    "[ab]{100}a": NEVER_THE_SAME,
    "([ab]{30}a|[ab]{20}b|[ab]{10}a)+": NEVER_THE_SAME,
    "(a+)+$": "a" * 10_000 + "b",
    "(a|aa)+$": "a" * 10_000 + "b",
    "(.*)(.*)(.*)x": "a" * 10_000,
    "a.*b|a": "a" * 10_000,
    "[ab]*a[ab]{100}c": ("abbabaab" + "aabab") * 800,
    "(?:a?){60}a{60}": "a" * 10_000,
    r"(\b|a)*$": "a " * 5_000,
    r"\s*,\s*": " " * 10_000,
}


def work(do: Callable[[], object]) -> float:
    """Seconds of processor time; the least of three, since others share the machine's caches."""
    spent = []
    for _ in range(3):
        begun = time.process_time()
        do()
        spent.append(time.process_time() - begun)
    return min(spent)


@pytest.mark.parametrize("expression", HOSTILE)
def test_a_hostile_expression_is_answered_within_half_a_second(expression: str) -> None:
    assert work(lambda: list(compiled(expression).matches(HOSTILE[expression]))) < 0.5


def test_a_text_with_too_many_matches_that_may_each_read_to_its_end_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="too many matches"):
        list(compiled("a").matches("a" * 80_000))


@pytest.mark.parametrize("text", ["a" * 15_000, "a " * 5_000, "a" * 15_001, '"' + "a, " * 6_000 + '"'])
def test_the_longest_search_through_a_hostile_analyzer_is_answered(text: str) -> None:
    service = SearchService()
    kind = "#Microsoft.Azure.Search."
    definition = {
        "name": "hostile",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
            {"name": "text", "type": "Edm.String", "analyzer": "mine"},
        ],
        "analyzers": [
            {"@odata.type": f"{kind}CustomAnalyzer", "name": "mine", "tokenizer": "cut", "charFilters": ["swap"]}
        ],
        "tokenizers": [
            {"@odata.type": f"{kind}PatternTokenizer", "name": "cut", "pattern": "a.*b|(a+)+,?", "group": 0}
        ],
        "charFilters": [
            {
                "@odata.type": f"{kind}PatternReplaceCharFilter",
                "name": "swap",
                "pattern": "(a|aa)+$",
                "replacement": "$1",
            }
        ],
    }
    assert ask(service, "/indexes", definition).status == 201
    answer = ask(service, "/indexes/hostile/docs/search", {"search": text})
    assert answer.status in (200, 400)
