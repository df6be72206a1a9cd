"""The examples of Microsoft's pages on analyzers, in our own words and through Microsoft's SDK.

https://learn.microsoft.com/azure/search/tutorial-create-custom-analyzer, search-analyzers, index-add-custom-analyzers
"""

from typing import Any

import pytest
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import (
    AnalyzeTextOptions,
    AsciiFoldingTokenFilter,
    CustomAnalyzer,
    LuceneStandardTokenizerV2,
    MappingCharFilter,
    NGramTokenFilterV2,
    PatternReplaceCharFilter,
    SearchField,
    SearchIndex,
    SynonymTokenFilter,
)

from retrieval.local.search_service import SearchService
from retrieval.local.transport import connect

PHONES = {
    "1": "425-555-0100",
    "2": "(321) 555-0199",
    "3": "+1 425-555-0100",
    "4": "+1 (321) 555-0199",
    "5": "4255550100",
    "6": "13215550199",
    "7": "425 555 0100",
    "8": "321.555.0199",
}
DIGITS_ONLY = MappingCharFilter(name="phone_char_mapping", mappings=["-=>", "(=>", ")=>", "+=>", ".=>", r"\u0020=>"])
PIECES = NGramTokenFilterV2(name="custom_ngram_filter", min_gram=3, max_gram=20)
FOR_INDEX = CustomAnalyzer(
    name="phone_analyzer",
    tokenizer_name="keyword_v2",
    token_filters=["custom_ngram_filter"],
    char_filters=["phone_char_mapping"],
)
FOR_SEARCH = CustomAnalyzer(
    name="phone_analyzer_search", tokenizer_name="keyword_v2", char_filters=["phone_char_mapping"]
)


def phones(service: SearchService, **analyzers: str) -> SearchClient:
    """The tutorial's index of telephone numbers, its field analysed as said."""
    fields = [
        SearchField(name="id", type="Edm.String", key=True, searchable=False),
        SearchField(name="phone_number", type="Edm.String", searchable=True, **analyzers),
    ]
    index = SearchIndex(
        name="phones",
        fields=fields,
        analyzers=[FOR_INDEX, FOR_SEARCH],
        char_filters=[DIGITS_ONLY],
        token_filters=[PIECES],
    )
    SearchIndexClient(**connect(service), retry_total=0).create_index(index)
    client = SearchClient(index_name="phones", **connect(service), retry_total=0)
    client.upload_documents([{"id": key, "phone_number": phone} for key, phone in PHONES.items()])
    return client


def keys(client: SearchClient, text: str, **options: Any) -> list[str]:
    return sorted(found["id"] for found in client.search(text, **options))


def analyzed(indexes: SearchIndexClient, index: str, text: str, analyzer: str) -> list[tuple[str, int, int, int]]:
    tokens = indexes.analyze_text(index, AnalyzeTextOptions(text=text, analyzer_name=analyzer)).tokens
    return [(one.token, one.start_offset, one.end_offset, one.position) for one in tokens]


def test_the_default_analyzer_finds_three_of_four_numbers_and_two_others(service: SearchService) -> None:
    client = phones(service)
    assert keys(client, "(425) 555-0100") == ["1", "2", "3", "4", "7"]
    assert keys(client, "4255550100") == ["5"]


def test_pieces_of_a_number_find_it_and_others(service: SearchService) -> None:
    client = phones(service, analyzer_name="phone_analyzer")
    assert set(keys(client, "4255550100")) > {"1", "3", "5", "7"}


def test_an_analyzer_for_searching_without_pieces_finds_the_number_alone(service: SearchService) -> None:
    client = phones(service, index_analyzer_name="phone_analyzer", search_analyzer_name="phone_analyzer_search")
    assert keys(client, "4255550100") == ["1", "3", "5", "7"]
    assert keys(client, '"(425) 555-0100"') == ["1", "3", "5", "7"]
    assert keys(client, "321.555") == ["2", "4", "6", "8"]
    assert keys(client, "42555*") == ["1", "3", "5", "7"]
    assert keys(client, "phone_number:/3215.*99/", query_type="full") == ["2", "4", "6", "8"]


def test_the_pieces_of_a_number_have_the_places_of_the_whole(service: SearchService) -> None:
    phones(service, analyzer_name="phone_analyzer")
    indexes = SearchIndexClient(**connect(service))
    tokens = analyzed(indexes, "phones", "+1 (321) 555-0199", "phone_analyzer")
    assert tokens[:3] == [("132", 1, 17, 0), ("1321", 1, 17, 0), ("13215", 1, 17, 0)]
    assert {token[1:] for token in tokens} == {(1, 17, 0)}
    short = analyzed(indexes, "phones", "12345", "phone_analyzer")
    assert [token[0] for token in short] == ["123", "1234", "12345", "234", "2345", "345"]


def index_of(analyzer: CustomAnalyzer, **parts: Any) -> SearchIndex:
    fields = [
        SearchField(name="id", type="Edm.String", key=True, searchable=False),
        SearchField(name="text", type="Edm.String", searchable=True, analyzer_name=analyzer.name),
    ]
    return SearchIndex(name="myindex", fields=fields, analyzers=[analyzer], **parts)


FOLDING = AsciiFoldingTokenFilter(name="my_asciifolding", preserve_original=True)
DASHES = MappingCharFilter(name="map_dash", mappings=["-=>_"])
BLANKS = MappingCharFilter(name="remove_whitespace", mappings=[r"\u0020=>"])
TWENTY = LuceneStandardTokenizerV2(name="my_standard_tokenizer", max_token_length=20)


def test_what_asciifolding_preserves_follows_what_it_folded(indexes: SearchIndexClient) -> None:
    analyzer = CustomAnalyzer(
        name="my_analyzer",
        char_filters=["map_dash"],
        tokenizer_name="my_standard_tokenizer",
        token_filters=["my_asciifolding", "lowercase"],
    )
    indexes.create_index(index_of(analyzer, char_filters=[DASHES], tokenizers=[TWENTY], token_filters=[FOLDING]))
    assert analyzed(indexes, "myindex", "Vis-à-vis means Opposite", "my_analyzer") == [
        ("vis_a_vis", 0, 9, 0),
        ("vis_à_vis", 0, 9, 0),
        ("means", 10, 15, 1),
        ("opposite", 16, 24, 2),
    ]


def test_char_filters_run_one_after_the_other_and_places_lead_back_through_both(indexes: SearchIndexClient) -> None:
    analyzer = CustomAnalyzer(
        name="my_analyzer",
        char_filters=["map_dash", "remove_whitespace"],
        tokenizer_name="my_standard_tokenizer",
        token_filters=["my_asciifolding", "lowercase"],
    )
    indexes.create_index(
        index_of(analyzer, char_filters=[DASHES, BLANKS], tokenizers=[TWENTY], token_filters=[FOLDING])
    )
    assert analyzed(indexes, "myindex", "Vis-à-vis means Opposite", "my_analyzer") == [
        ("vis_a_vismeansopposi", 0, 22, 0),
        ("vis_à_vismeansopposi", 0, 22, 0),
        ("te", 22, 24, 1),
    ]


def test_a_replacement_puts_groups_together(indexes: SearchIndexClient) -> None:
    joined = PatternReplaceCharFilter(name="joined", pattern=r"(aa)\s+(bb)", replacement="$1#$2")
    analyzer = CustomAnalyzer(name="my_analyzer", char_filters=["joined"], tokenizer_name="whitespace")
    indexes.create_index(index_of(analyzer, char_filters=[joined]))
    assert analyzed(indexes, "myindex", "aa  bb aa bb", "my_analyzer") == [("aa#bb", 0, 6, 0), ("aa#bb", 7, 12, 1)]


@pytest.mark.parametrize(
    ("rule", "expand", "terms"),
    [
        ("incredible, unbelievable, fabulous => amazing", True, ["amazing"]),
        ("incredible, unbelievable, fabulous, amazing", True, ["incredible", "unbelievable", "fabulous", "amazing"]),
        ("incredible, unbelievable, fabulous, amazing", False, ["incredible"]),
    ],
)
def test_synonyms_replace_or_stand_for_one_another(
    indexes: SearchIndexClient, rule: str, expand: bool, terms: list[str]
) -> None:
    same = SynonymTokenFilter(name="same", synonyms=[rule], expand=expand, ignore_case=True)
    analyzer = CustomAnalyzer(name="my_analyzer", tokenizer_name="standard_v2", token_filters=["same"])
    indexes.create_index(index_of(analyzer, token_filters=[same]))
    found = analyzed(indexes, "myindex", "a Fabulous day", "my_analyzer")
    assert [token[0] for token in found if token[3] == 1] == terms
    assert [token for token in found if token[3] != 1] == [("a", 0, 1, 0), ("day", 11, 14, 2)]
    assert {token[1:3] for token in found if token[3] == 1} == {(2, 10)}


def test_a_field_may_be_read_one_way_and_searched_another(indexes: SearchIndexClient, service: SearchService) -> None:
    fields = [
        SearchField(name="id", type="Edm.String", key=True, searchable=False),
        SearchField(
            name="text",
            type="Edm.String",
            searchable=True,
            index_analyzer_name="whitespace",
            search_analyzer_name="simple",
        ),
        SearchField(name="text1", type="Edm.String", searchable=True, analyzer_name="pattern"),
    ]
    indexes.create_index(SearchIndex(name="myindex", fields=fields))
    client = SearchClient(index_name="myindex", **connect(service))
    client.upload_documents([{"id": "1", "text": "Two two", "text1": "Tea-Room 7"}, {"id": "2", "text": "Two"}])
    assert keys(client, "TWO", search_fields=["text"]) == ["1"]
    assert keys(client, "tea room", search_fields=["text1"], search_mode="all") == ["1"]
