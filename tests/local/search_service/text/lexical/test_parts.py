"""Every tokenizer, token filter and char filter that is served, alone, through `analyze_text` of Microsoft's SDK."""

from typing import Any

import pytest
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes import models as wire
from azure.search.documents.indexes.models import AnalyzeTextOptions, SearchField, SearchIndex

KEY = SearchField(name="id", type="Edm.String", key=True, searchable=False)

Place = tuple[str, int, int, int]


def tokens(indexes: SearchIndexClient, text: str, **names: Any) -> list[Place]:
    found = indexes.analyze_text("parts", AnalyzeTextOptions(text=text, **names)).tokens
    return [(one.token, one.start_offset, one.end_offset, one.position) for one in found]


def terms(indexes: SearchIndexClient, text: str, **names: Any) -> list[str]:
    return [token[0] for token in tokens(indexes, text, **names)]


@pytest.fixture
def defined(indexes: SearchIndexClient) -> Any:
    """Makes the index "parts", which has nothing but the parts that are given."""

    def define(**parts: Any) -> None:
        indexes.create_index(SearchIndex(name="parts", fields=[KEY], **parts))

    return define


@pytest.mark.parametrize(
    ("tokenizer", "text", "expected"),
    [
        ("standard_v2", "One's Wi-Fi", [("One's", 0, 5, 0), ("Wi", 6, 8, 1), ("Fi", 9, 11, 2)]),
        ("keyword_v2", "One  two", [("One  two", 0, 8, 0)]),
        ("keyword_v2", "", []),
        ("whitespace", " One-two\tthree", [("One-two", 1, 8, 0), ("three", 9, 14, 1)]),
        ("letter", "One2two", [("One", 0, 3, 0), ("two", 4, 7, 1)]),
        ("lowercase", "One2Two", [("one", 0, 3, 0), ("two", 4, 7, 1)]),
        ("pattern", "one, two;", [("one", 0, 3, 0), ("two", 5, 8, 1)]),
        ("nGram", "ab c", [
            ("a", 0, 1, 0), ("ab", 0, 2, 1), ("b", 1, 2, 2), ("b ", 1, 3, 3), (" ", 2, 3, 4), (" c", 2, 4, 5),
            ("c", 3, 4, 6),
        ]),
        ("edgeNGram", "ab c", [("a", 0, 1, 0), ("ab", 0, 2, 1)]),
    ],
)  # fmt: skip
def test_a_tokenizer_needs_no_definition(
    defined: Any, indexes: SearchIndexClient, tokenizer: str, text: str, expected: list[Place]
) -> None:
    defined()
    assert tokens(indexes, text, tokenizer_name=tokenizer) == expected


@pytest.mark.parametrize(
    ("tokenizer", "text", "expected"),
    [
        (wire.LuceneStandardTokenizerV2(name="t", max_token_length=3), "abcde f", ["abc", "de", "f"]),
        (wire.LuceneStandardTokenizer(name="t", max_token_length=3), "abcd", ["abc", "d"]),
        (wire.KeywordTokenizerV2(name="t", max_token_length=4), "ab cde", ["ab c", "de"]),
        (wire.KeywordTokenizer(name="t", buffer_size=16), "ab cd", ["ab cd"]),
        (wire.PatternTokenizer(name="t", pattern="[,;] *"), "ab, cd;;ef", ["ab", "cd", "ef"]),
        (wire.PatternTokenizer(name="t", pattern="'([^']+)'", group=1), "say 'one two' or 'x'", ["one two", "x"]),
        (wire.PatternTokenizer(name="t", pattern="#[a-z]+", group=0, flags=["CASE_INSENSITIVE"]), "#Ab b #c", [
            "#Ab", "#c",
        ]),
        (
            wire.PatternTokenizer(name="t", pattern="^.", group=0, flags=["MULTILINE", "DOTALL"]),
            "ab\ncd\n\nef",
            ["a", "c", "\n", "e"],
        ),
        (wire.PatternTokenizer(name="t", pattern=".", flags=["LITERAL"]), "a.b", ["a", "b"]),
        (wire.NGramTokenizer(name="t", min_gram=2, max_gram=3), "abcd", ["ab", "abc", "bc", "bcd", "cd"]),
        (wire.NGramTokenizer(name="t", min_gram=2, max_gram=3, token_chars=["letter"]), "ab1cd-e", ["ab", "cd"]),
        (wire.EdgeNGramTokenizer(name="t", min_gram=1, max_gram=3, token_chars=["letter", "digit"]), "a1b-cd", [
            "a", "a1", "a1b", "c", "cd",
        ]),
    ],
)  # fmt: skip
def test_a_tokenizer_has_options(
    defined: Any, indexes: SearchIndexClient, tokenizer: wire.LexicalTokenizer, text: str, expected: list[str]
) -> None:
    defined(tokenizers=[tokenizer])
    assert terms(indexes, text, tokenizer_name="t") == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("lowercase", "Ünder ONE", ["ünder", "one"]),
        ("uppercase", "Ünder one", ["ÜNDER", "ONE"]),
        ("asciifolding", "Łódź naïve Æsir „quoted“ ﬁne ①", ["Lodz", "naive", "AEsir", '"quoted"', "fine", "1"]),
        ("asciifolding", "東京 плюс", ["東京", "плюс"]),
        ("stopwords", "the End of The day", ["End", "The", "day"]),
        ("porter_stem", "relational ponies", ["relat", "poni"]),
        ("snowball", "running generously", ["run", "generous"]),
        ("stemmer", "running us", ["run", "us"]),
        ("length", f"{'x' * 255} a", ["x" * 255, "a"]),
        ("truncate", "abc", ["abc"]),
        ("limit", "one two", ["one"]),
        ("reverse", "abc d", ["cba", "d"]),
        ("trim", "abc", ["abc"]),
        ("unique", "a b a c", ["a", "b", "c"]),
        ("apostrophe", "Istanbul'da", ["Istanbul"]),
        ("elision", "L'avion d’Or o'clock", ["avion", "Or", "o'clock"]),
        ("nGram_v2", "abc", ["a", "ab", "b", "bc", "c"]),
        ("edgeNGram_v2", "abc d", ["a", "ab", "d"]),
    ],
)
def test_a_token_filter_needs_no_definition(
    defined: Any, indexes: SearchIndexClient, name: str, text: str, expected: list[str]
) -> None:
    defined()
    assert terms(indexes, text, tokenizer_name="whitespace", token_filters=[name]) == expected


@pytest.mark.parametrize(
    ("token_filter", "text", "expected"),
    [
        (wire.AsciiFoldingTokenFilter(name="f", preserve_original=True), "é e", [
            ("e", 0, 1, 0), ("é", 0, 1, 0), ("e", 2, 3, 1),
        ]),
        (wire.EdgeNGramTokenFilterV2(name="f", min_gram=2, max_gram=3), "abcd e fg", [
            ("ab", 0, 4, 0), ("abc", 0, 4, 0), ("fg", 7, 9, 2),
        ]),
        (wire.EdgeNGramTokenFilterV2(name="f", min_gram=2, max_gram=3, side="back"), "abcd", [
            ("cd", 0, 4, 0), ("bcd", 0, 4, 0),
        ]),
        (wire.EdgeNGramTokenFilter(name="f", min_gram=1, max_gram=2), "ab", [("a", 0, 2, 0), ("ab", 0, 2, 0)]),
        (wire.NGramTokenFilterV2(name="f", min_gram=2, max_gram=3), "abc", [
            ("ab", 0, 3, 0), ("abc", 0, 3, 0), ("bc", 0, 3, 0),
        ]),
        (wire.NGramTokenFilter(name="f", min_gram=2, max_gram=3), "ab", [("ab", 0, 2, 0)]),
        (wire.LengthTokenFilter(name="f", min_length=2, max_length=3), "a bc defg hij", [
            ("bc", 2, 4, 1), ("hij", 10, 13, 3),
        ]),
        (wire.LimitTokenFilter(name="f", max_token_count=2), "a b c", [("a", 0, 1, 0), ("b", 2, 3, 1)]),
        (wire.TruncateTokenFilter(name="f", length=2), "abc d", [("ab", 0, 3, 0), ("d", 4, 5, 1)]),
        (wire.UniqueTokenFilter(name="f", only_on_same_position=True), "a a", [("a", 0, 1, 0), ("a", 2, 3, 1)]),
        (wire.UniqueTokenFilter(name="f"), "a a b", [("a", 0, 1, 0), ("b", 4, 5, 1)]),
        (wire.PatternReplaceTokenFilter(name="f", pattern="(\\d)(\\d)", replacement="$2-$1"), "a12b 3", [
            ("a2-1b", 0, 4, 0), ("3", 5, 6, 1),
        ]),
        (wire.StopwordsTokenFilter(name="f", stopwords=["One", "two"]), "One one two", [("one", 4, 7, 1)]),
        (wire.StopwordsTokenFilter(name="f", stopwords=["One"], ignore_case=True), "ONE one two", [("two", 8, 11, 2)]),
        (wire.StopwordsTokenFilter(name="f", stopwords_list="french"), "le chat", [("chat", 3, 7, 1)]),
        (wire.StopwordsTokenFilter(name="f", stopwords_list="english"), "the cat", [("cat", 4, 7, 1)]),
        (wire.StopwordsTokenFilter(name="f", stopwords=[]), "the", [("the", 0, 3, 0)]),
        (wire.StopwordsTokenFilter(name="f", remove_trailing_stop_words=False), "of the", [("the", 3, 6, 1)]),
        (wire.ElisionTokenFilter(name="f", articles=["dell"]), "dell'arte l'arte", [
            ("arte", 0, 9, 0), ("l'arte", 10, 16, 1),
        ]),
        (wire.StemmerTokenFilter(name="f", language="german"), "Häuser", [("Haus", 0, 6, 0)]),
        (wire.StemmerTokenFilter(name="f", language="porter2"), "generously", [("generous", 0, 10, 0)]),
        (wire.StemmerTokenFilter(name="f", language="possessiveEnglish"), "boat's", [("boat", 0, 6, 0)]),
        (wire.StemmerTokenFilter(name="f", language="minimalEnglish"), "ponies", [("pony", 0, 6, 0)]),
        (wire.SnowballTokenFilter(name="f", language="spanish"), "corriendo", [("corr", 0, 9, 0)]),
        (wire.SynonymTokenFilter(name="f", synonyms=["new york, ny => big apple, ny"]), "in new york now", [
            ("in", 0, 2, 0), ("big", 3, 6, 1), ("ny", 3, 11, 1), ("apple", 7, 11, 2), ("now", 12, 15, 3),
        ]),
        (wire.SynonymTokenFilter(name="f", synonyms=["a b => c"]), "a b d", [("c", 0, 3, 0), ("d", 4, 5, 1)]),
        (wire.SynonymTokenFilter(name="f", synonyms=["a => x y z"]), "a b", [
            ("x", 0, 1, 0), ("b", 2, 3, 1), ("y", 2, 3, 1), ("z", 2, 3, 2),
        ]),
        (wire.SynonymTokenFilter(name="f", synonyms=["TV => television"], ignore_case=True), "tv", [
            ("television", 0, 2, 0),
        ]),
        (wire.SynonymTokenFilter(name="f", synonyms=["TV => television"]), "tv", [("tv", 0, 2, 0)]),
    ],
)  # fmt: skip
def test_a_token_filter_has_options(
    defined: Any, indexes: SearchIndexClient, token_filter: wire.TokenFilter, text: str, expected: list[Place]
) -> None:
    defined(token_filters=[token_filter])
    assert tokens(indexes, text, tokenizer_name="whitespace", token_filters=["f"]) == expected


@pytest.mark.parametrize(
    ("char_filter", "text", "expected"),
    [
        (wire.MappingCharFilter(name="c", mappings=["ph=>f", "p=>b", "phi=>φ"]), "pphphi", [("bfφ", 0, 6, 0)]),
        (wire.MappingCharFilter(name="c", mappings=["&=> and "]), "a&b", [("aandb", 0, 3, 0)]),
        (wire.MappingCharFilter(name="c", mappings=["&=>\\u0020and\\u0020"]), "a&b", [
            ("a", 0, 1, 0), ("and", 1, 1, 1), ("b", 2, 3, 2),
        ]),
        (wire.MappingCharFilter(name="c", mappings=["\\\\=>/"]), "a\\b", [("a/b", 0, 3, 0)]),
        (wire.PatternReplaceCharFilter(name="c", pattern="[^a-z]+", replacement=" "), "ab12-cd", [
            ("ab", 0, 2, 0), ("cd", 5, 7, 1),
        ]),
        (wire.PatternReplaceCharFilter(name="c", pattern="(a)|b", replacement="\\$[$1]"), "ab", [("$[a]$[]", 0, 2, 0)]),
    ],
)  # fmt: skip
def test_a_char_filter_has_options(
    defined: Any, indexes: SearchIndexClient, char_filter: wire.CharFilter, text: str, expected: list[Place]
) -> None:
    defined(char_filters=[char_filter])
    assert tokens(indexes, text, tokenizer_name="whitespace", char_filters=["c"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>bo</b>ld<br/>line", [("bold", 3, 11, 0), ("line", 16, 20, 1)]),
        ("<p>one</p><p>two</p>", [("one", 3, 6, 0), ("two", 13, 16, 1)]),
        ("a<!-- b --> c", [("a", 0, 11, 0), ("c", 12, 13, 1)]),
        ("<script>if (a < b) { x }</script>text", [("text", 33, 37, 0)]),
        ("<STYLE>b {}</style >text", [("text", 20, 24, 0)]),
        ("fish &amp; caf&eacute;", [("fish", 0, 4, 0), ("&", 5, 10, 1), ("café", 11, 22, 2)]),
        ("&#65;&#x42; &nothing;", [("AB", 0, 11, 0), ("&nothing;", 12, 21, 1)]),
        ('<a title="x > y" href=z>link</a>', [("link", 24, 32, 0)]),
        ("<!DOCTYPE html><?xml?>x", [("x", 22, 23, 0)]),
        ("1 < 2 > 0", [("1", 0, 1, 0), ("<", 2, 3, 1), ("2", 4, 5, 2), (">", 6, 7, 3), ("0", 8, 9, 4)]),
        ("<!-- open", [("<!--", 0, 4, 0), ("open", 5, 9, 1)]),
        ("<script>open", [("open", 8, 12, 0)]),
    ],
)
def test_html_is_stripped_and_places_are_those_of_the_html(
    defined: Any, indexes: SearchIndexClient, text: str, expected: list[Place]
) -> None:
    defined()
    assert tokens(indexes, text, tokenizer_name="whitespace", char_filters=["html_strip"]) == expected


@pytest.mark.parametrize(
    ("analyzer", "text", "expected"),
    [
        (wire.PatternAnalyzer(name="a"), "One, two", ["one", "two"]),
        (wire.PatternAnalyzer(name="a", lower_case_terms=False, pattern="-", stopwords=["x"]), "A-x-B c", ["A", "B c"]),
        (wire.PatternAnalyzer(name="a", pattern="X+", flags=["CASE_INSENSITIVE"]), "axXb", ["a", "b"]),
        (wire.StopAnalyzer(name="a"), "The boat 2 be", ["boat"]),
        (wire.StopAnalyzer(name="a", stopwords=["boat"]), "The boat", ["the"]),
        (wire.LuceneStandardAnalyzer(name="a", max_token_length=4, stopwords=["the"]), "The boats", ["boat", "s"]),
        (wire.LuceneStandardAnalyzer(name="a"), "The Boats", ["the", "boats"]),
    ],
)
def test_a_built_in_analyzer_takes_other_options(
    defined: Any, indexes: SearchIndexClient, analyzer: wire.LexicalAnalyzer, text: str, expected: list[str]
) -> None:
    defined(analyzers=[analyzer])
    assert terms(indexes, text, analyzer_name="a") == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pattern", "One, two", ["one", "two"]),
        ("standardasciifolding.lucene", "Café Ünder", ["cafe", "under"]),
    ],
)
def test_an_analyzer_needs_no_definition(
    defined: Any, indexes: SearchIndexClient, name: str, text: str, expected: list[str]
) -> None:
    defined()
    assert terms(indexes, text, analyzer_name=name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lowercase", "l'été là"),
        ("uppercase", "L'ÉTÉ LÀ"),
        ("asciifolding", "L'Ete La"),
        ("standard", "l'ete la"),
        ("elision", "Été Là"),
    ],
)
def test_a_normalizer_makes_one_token(defined: Any, indexes: SearchIndexClient, name: str, expected: str) -> None:
    defined()
    assert tokens(indexes, "L'Été Là", normalizer_name=name) == [(expected, 0, 8, 0)]


def test_offsets_count_utf_16_units(defined: Any, indexes: SearchIndexClient) -> None:
    defined()
    assert tokens(indexes, "🛶 sea", tokenizer_name="standard_v2") == [("sea", 3, 6, 0)]
