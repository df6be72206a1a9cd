"""What an index may define for its analyzers, and how the rest is refused: with the name of what is wrong."""

from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import (
    AnalyzeTextOptions,
    CustomAnalyzer,
    EdgeNGramTokenFilterV2,
    SearchField,
    SearchIndex,
)
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.store import Store
from retrieval.local.transport import connect
from tests.local.search_service.conftest import Send, holds
from tests.local.search_service.query.test_hostile_searches import ask

KEY = {"name": "id", "type": "Edm.String", "key": True, "searchable": False}
KIND = "#Microsoft.Azure.Search."


def custom(**options: Any) -> dict[str, Any]:
    return {"@odata.type": f"{KIND}CustomAnalyzer", "name": "mine", "tokenizer": "whitespace", **options}


def part(kind: str, **options: Any) -> dict[str, Any]:
    return {"@odata.type": f"{KIND}{kind}", "name": "part", **options}


def index(*fields: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {"name": "words", "fields": [KEY, *fields], **sections}


@pytest.mark.parametrize(
    ("section", "definition", "said"),
    [
        ("analyzers", custom(tokenizer="blanks"), "tokenizer 'blanks'"),
        ("analyzers", custom(tokenFilters=["lower"]), "token filter 'lower'"),
        ("analyzers", custom(charFilters=["lowercase"]), "char filter 'lowercase'"),
        ("analyzers", custom(tokenfilters=[]), "unknown property"),
        ("analyzers", custom(tokenizer=None), "tokenizer"),
        ("analyzers", custom(tokenFilters=["lowercase"] * 31), "30 filters"),
        ("analyzers", custom(name="standard.lucene"), "standard.lucene"),
        ("analyzers", custom(name="pattern"), "'pattern'"),
        ("analyzers", custom(name="-mine"), "'-mine'"),
        ("analyzers", custom(name="m" * 129), "128 letters"),
        ("analyzers", part("Analyzer"), "#Microsoft.Azure.Search.Analyzer"),
        ("analyzers", {**custom(), "@odata.type": "CustomAnalyzer"}, "begins with #Microsoft.Azure.Search."),
        ("analyzers", {"name": "mine", "tokenizer": "whitespace"}, "@odata.type"),
        ("analyzers", "whitespace", "an object"),
        ("analyzers", part("StandardAnalyzer", maxTokenLength=301), "maxTokenLength"),
        ("tokenizers", part("StandardTokenizerV2", maxTokenLength="5"), "maxTokenLength"),
        ("tokenizers", part("StandardTokenizerV2", length=5), "unknown property"),
        ("tokenizers", part("NGramTokenizer", minGram=2, maxGram=2), "must be less than maxGram"),
        ("tokenizers", part("NGramTokenizer", maxGram=301), "maxGram"),
        ("tokenizers", part("EdgeNGramTokenizer", tokenChars=["emoji"]), "tokenChars"),
        ("tokenizers", part("PatternTokenizer", pattern="(", group=0), "missing )"),
        ("tokenizers", part("PatternTokenizer", pattern="a", group=1), "group 1"),
        ("tokenizers", part("PatternTokenizer", flags="GLOBAL"), "GLOBAL"),
        ("tokenizers", part("LowercaseTokenFilter"), "LowercaseTokenFilter"),
        ("tokenFilters", part("EdgeNGramTokenFilterV2", side="middle"), "side"),
        ("tokenFilters", part("LengthTokenFilter", min=5, max=5), "must be less than max"),
        ("tokenFilters", part("LimitTokenFilter", maxTokenCount=0), "maxTokenCount"),
        ("tokenFilters", part("TruncateTokenFilter", length=301), "length"),
        ("tokenFilters", part("StopwordsTokenFilter", stopwords=["a"], stopwordsList="english"), "only one"),
        ("tokenFilters", part("StopwordsTokenFilter", stopwordsList="klingon"), "'klingon'"),
        ("tokenFilters", part("StopwordsTokenFilter", stopwords=["a"] * 10_001), "stopwords"),
        ("tokenFilters", part("StemmerTokenFilter", language="klingon"), "'klingon'"),
        ("tokenFilters", part("StemmerTokenFilter"), "language"),
        ("tokenFilters", part("SnowballTokenFilter", language="klingon"), "'klingon'"),
        ("tokenFilters", part("SynonymTokenFilter", synonyms=[]), "one rule"),
        ("tokenFilters", part("SynonymTokenFilter", synonyms=["a =>"]), "no rule"),
        ("tokenFilters", part("SynonymTokenFilter", synonyms=[f"a => {'b ' * 17}"]), "16 words"),
        ("tokenFilters", part("SynonymTokenFilter", synonyms=[f"a => b{n}" for n in range(101)]), "100 others"),
        ("tokenFilters", part("PatternReplaceTokenFilter", pattern="a", replacement="$1"), "group"),
        ("charFilters", part("PatternReplaceCharFilter", pattern="a", replacement="$"), "'$'"),
        ("charFilters", part("PatternReplaceCharFilter", pattern="a"), "replacement"),
        ("charFilters", part("MappingCharFilter", mappings=["a"]), "'a'"),
        ("charFilters", part("MappingCharFilter", mappings=["=>a"]), "'=>a'"),
        ("charFilters", part("MappingCharFilter", mappings=["a=>\\ud800"]), "whole characters"),
        ("charFilters", part("MappingCharFilter", mappings=["a=>b", "a=>c"]), "twice"),
        ("charFilters", part("MappingCharFilter", mappings=[]), "1 to 1000"),
        ("charFilters", part("MappingCharFilter", mappings=[], name="html_strip"), "html_strip"),
    ],
)
def test_a_definition_that_breaks_a_rule_is_refused_in_words(
    send: Send, section: str, definition: Any, said: str
) -> None:
    answer = send("POST", "/indexes", index(**{section: [definition]}))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("section", "definition", "said"),
    [
        ("analyzers", custom(tokenizer="uax_url_email"), "the tokenizer 'uax_url_email'"),
        ("analyzers", custom(tokenizer="classic"), "the tokenizer 'classic'"),
        ("analyzers", custom(tokenFilters=["phonetic"]), "the token filter 'phonetic'"),
        ("tokenizers", part("PathHierarchyTokenizerV2"), "the tokenizer kind 'PathHierarchyTokenizerV2'"),
        ("tokenFilters", part("ShingleTokenFilter"), "the token filter kind 'ShingleTokenFilter'"),
        ("tokenFilters", part("StemmerTokenFilter", language="lightEnglish"), "'lightEnglish'"),
        ("tokenFilters", part("SnowballTokenFilter", language="lovins"), "'lovins'"),
        ("tokenFilters", part("StopwordsTokenFilter", stopwordsList="danish"), "stopwordsList 'danish'"),
        ("tokenizers", part("PatternTokenizer", pattern="(a)\\1"), "back reference"),
        ("tokenizers", part("PatternTokenizer", pattern="(?=a)"), "look-ahead"),
        ("tokenizers", part("PatternTokenizer", pattern="a++"), "possessive"),
        ("tokenizers", part("PatternTokenizer", flags="CANON_EQ"), "CANON_EQ"),
        ("tokenizers", part("PatternTokenizer", flags="COMMENTS"), "COMMENTS"),
        ("normalizers", {"@odata.type": f"{KIND}CustomNormalizer", "name": "mine"}, "normalizers"),
    ],
)
def test_what_azure_has_beyond_is_refused_by_name(send: Send, section: str, definition: Any, said: str) -> None:
    answer = send("POST", "/indexes", index(**{section: [definition]}))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "UnsupportedByLocalSearch"
    assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "sections",
    [
        {"analyzers": [custom(), custom()]},
        {"tokenFilters": [part("UniqueTokenFilter"), part("LimitTokenFilter")]},
        {"tokenFilters": [part("UniqueTokenFilter", name=f"u{n}") for n in range(101)]},
    ],
)
def test_a_name_is_taken_once_and_a_section_has_an_end(send: Send, sections: dict[str, Any]) -> None:
    assert send("POST", "/indexes", index(**sections)).status_code == 400


@pytest.mark.parametrize(
    "field",
    [
        {"analyzer": "mine", "indexAnalyzer": "mine", "searchAnalyzer": "mine"},
        {"indexAnalyzer": "mine"},
        {"searchAnalyzer": "mine"},
        {"indexAnalyzer": "en.lucene", "searchAnalyzer": "mine"},
        {"indexAnalyzer": "mine", "searchAnalyzer": "fr.microsoft"},
    ],
)
def test_two_analyzers_are_a_pair_and_none_of_them_a_languages(send: Send, field: dict[str, Any]) -> None:
    text = {"name": "text", "type": "Edm.String", **field}
    answer = send("POST", "/indexes", index(text, analyzers=[custom()]))
    assert answer.status_code == 400
    assert "'text'" in answer.json()["error"]["message"]


def test_a_field_with_an_analyzer_that_is_not_there_is_refused(send: Send) -> None:
    answer = send("POST", "/indexes", index({"name": "text", "type": "Edm.String", "analyzer": "mine"}))
    assert "'mine'" in answer.json()["error"]["message"]


def test_a_suggester_takes_no_field_with_an_analyzer_of_its_own(send: Send) -> None:
    text = {"name": "text", "type": "Edm.String", "analyzer": "mine"}
    suggester = {"name": "sg", "searchMode": "analyzingInfixMatching", "sourceFields": ["text"]}
    answer = send("POST", "/indexes", index(text, analyzers=[custom()], suggesters=[suggester]))
    assert answer.status_code == 400


STARTS = EdgeNGramTokenFilterV2(name="starts", min_gram=2, max_gram=8)
TYPED = CustomAnalyzer(name="typed", tokenizer_name="standard_v2", token_filters=["lowercase", "starts"])
WHOLE = CustomAnalyzer(name="whole", tokenizer_name="standard_v2", token_filters=["lowercase"])
WORDS = SearchIndex(
    name="words",
    fields=[
        SearchField(name="id", type="Edm.String", key=True, searchable=False),
        SearchField(
            name="text", type="Edm.String", searchable=True, index_analyzer_name="typed", search_analyzer_name="whole"
        ),
    ],
    analyzers=[TYPED, WHOLE],
    token_filters=[STARTS],
)


def test_a_definition_is_given_back_as_it_was_sent(indexes: SearchIndexClient) -> None:
    created = indexes.create_index(WORDS)
    kept = indexes.get_index("words")
    assert kept == created
    assert holds([one.as_dict() for one in kept.analyzers or ()], [TYPED.as_dict(), WHOLE.as_dict()])
    assert holds([one.as_dict() for one in kept.token_filters or ()], [STARTS.as_dict()])


def test_an_index_with_analyzers_of_its_own_outlives_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    service = SearchService(catalog=Catalog(store))
    SearchIndexClient(**connect(service)).create_index(WORDS)
    client = SearchClient(index_name="words", **connect(service))
    client.upload_documents([{"id": "1", "text": "Lighthouse"}, {"id": "2", "text": "Harbour light"}])
    store.close()
    store = Store(tmp_path)
    again = SearchService(catalog=Catalog(store))
    client = SearchClient(index_name="words", **connect(again))
    assert {found["id"] for found in client.search("ligh")} == {"1", "2"}
    tokens = SearchIndexClient(**connect(again)).analyze_text(
        "words", AnalyzeTextOptions(text="Sea", analyzer_name="typed")
    )
    assert [one.token for one in tokens.tokens] == ["se", "sea"]
    store.close()


def test_an_index_is_updated_without_touching_its_analyzers(indexes: SearchIndexClient) -> None:
    index = indexes.create_index(WORDS)
    index.fields.append(SearchField(name="more", type="Edm.String", searchable=True, analyzer_name="whole"))
    index.fields[1].search_analyzer_name = "typed"
    assert [field.name for field in indexes.create_or_update_index(index).fields] == ["id", "text", "more"]


def test_a_part_that_is_defined_stays_as_it_is(indexes: SearchIndexClient) -> None:
    index = indexes.create_index(WORDS)
    index.token_filters = [EdgeNGramTokenFilterV2(name="starts", min_gram=1, max_gram=8)]
    with pytest.raises(HttpResponseError, match="'starts' cannot be changed"):
        indexes.create_or_update_index(index, allow_index_downtime=True)


def test_a_part_is_added_by_who_allows_the_index_to_be_away(indexes: SearchIndexClient) -> None:
    index = indexes.create_index(WORDS)
    index.analyzers = [TYPED, WHOLE, CustomAnalyzer(name="plain", tokenizer_name="whitespace")]
    with pytest.raises(HttpResponseError, match="allowIndexDowntime"):
        indexes.create_or_update_index(index)
    assert len(indexes.create_or_update_index(index, allow_index_downtime=True).analyzers or ()) == 3


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
kinds = st.sampled_from(
    "CustomAnalyzer PatternAnalyzer PatternTokenizer NGramTokenizer EdgeNGramTokenFilterV2 StopwordsTokenFilter "
    "SynonymTokenFilter MappingCharFilter PatternReplaceCharFilter".split()
)
options = st.sampled_from(
    "name tokenizer tokenFilters pattern flags group replacement minGram maxGram side stopwords synonyms "
    "mappings".split()
)
parts = st.builds(
    lambda kind, members: {"@odata.type": KIND + kind, "name": "part", **members},
    kinds,
    st.dictionaries(options, json_values | st.lists(st.text(max_size=12), max_size=3), max_size=4),
)


@given(
    st.sampled_from(["analyzers", "tokenizers", "tokenFilters", "charFilters"]),
    st.lists(parts | json_values, max_size=2) | json_values,
)
def test_any_section_is_taken_or_refused(section: str, items: Any) -> None:
    assert ask(SearchService(), "/indexes", index(**{section: items})).status in (201, 400)
