"""Searches over fields with analyzers of their own: phrases, patterns, highlights, captions, synonyms."""

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import (
    CustomAnalyzer,
    EdgeNGramTokenFilterV2,
    PatternTokenizer,
    SearchField,
    SearchIndex,
    SemanticConfiguration,
    SemanticField,
    SemanticPrioritizedFields,
    SemanticSearch,
    SynonymMap,
    SynonymTokenFilter,
)

from retrieval.local.search_service import SearchService
from retrieval.local.transport import connect

PAGES = [
    {"id": "1", "page": "<p>The <b>Café</b> by the sea &amp; the pier.</p>", "codes": ["AB-1; CD-2", "EF-3"]},
    {"id": "2", "page": "<p>Motor cars of New York City.</p><p>No boats.</p>", "codes": ["cd-2"]},
    {"id": "3", "page": "A lighthouse keeper wrote to the big apple.", "codes": []},
]


def index() -> SearchIndex:
    """`page` is HTML with synonyms, `start` what one types of it, `codes` are cut at semicolons."""
    return SearchIndex(
        name="pages",
        fields=[
            SearchField(name="id", type="Edm.String", key=True, searchable=False),
            SearchField(name="page", type="Edm.String", searchable=True, analyzer_name="html"),
            SearchField(
                name="codes",
                type="Collection(Edm.String)",
                searchable=True,
                analyzer_name="codes",
                synonym_map_names=["c"],
            ),
            SearchField(name="start", type="Edm.String", searchable=True, analyzer_name="starts"),
        ],
        analyzers=[
            CustomAnalyzer(
                name="html",
                tokenizer_name="standard_v2",
                token_filters=["lowercase", "asciifolding", "same"],
                char_filters=["html_strip"],
            ),
            CustomAnalyzer(name="codes", tokenizer_name="semicolons", token_filters=["trim"]),
            CustomAnalyzer(name="starts", tokenizer_name="standard_v2", token_filters=["lowercase", "begin"]),
        ],
        tokenizers=[PatternTokenizer(name="semicolons", pattern=";")],
        token_filters=[
            SynonymTokenFilter(name="same", synonyms=["car, automobile", "new york city, big apple"]),
            EdgeNGramTokenFilterV2(name="begin", min_gram=1, max_gram=10),
        ],
        semantic_search=SemanticSearch(
            configurations=[
                SemanticConfiguration(
                    name="plain",
                    prioritized_fields=SemanticPrioritizedFields(content_fields=[SemanticField(field_name="page")]),
                )
            ]
        ),
    )


@pytest.fixture
def pages(service: SearchService, indexes: SearchIndexClient) -> SearchClient:
    indexes.create_synonym_map(SynonymMap(name="c", synonyms=["code one => AB-1"]))
    indexes.create_index(index())
    client = SearchClient(index_name="pages", **connect(service), retry_total=0)
    client.upload_documents(PAGES)
    return client


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("cafe", {}, ["1"]),
        ("CAFÉ", {}, ["1"]),
        ("b", {"search_fields": ["page"]}, []),
        ('"cafe by the sea"', {}, ["1"]),
        ('"sea the pier"', {}, ["1"]),
        ('"pier sea"', {}, []),
        ('"the big apple"', {}, ["3"]),
        ('"of big apple"', {}, ["2"]),
        ('"the new york city"', {}, ["3"]),
        ('"boats motor"', {}, []),
        ('page:"sea pier"~2', {"query_type": "full"}, ["1"]),
        ("light*", {}, ["3"]),
        ("LIGHT*", {}, ["3"]),
        ("page:l?ghth*se", {"query_type": "full"}, ["3"]),
        ("page:lighthuose~", {"query_type": "full"}, ["3"]),
        ("page:/li.+se/", {"query_type": "full"}, ["3"]),
        ("motor -cafe", {"search_mode": "all"}, ["2"]),
        ("motor keeper", {"search_mode": "all"}, []),
        ("AB-1", {"search_fields": ["codes"]}, ["1"]),
        ("ab-1", {"search_fields": ["codes"]}, []),
        ("AB*", {"search_fields": ["codes"]}, ["1"]),
        ("ab*", {"search_fields": ["codes"]}, []),
        ('"AB-1; CD-2"', {"search_fields": ["codes"]}, ["1"]),
        ('"CD-2; EF-3"', {"search_fields": ["codes"]}, []),
        ('"code one"', {"search_fields": ["codes"]}, ["1"]),
        ("automobile", {"search_fields": ["page"]}, []),
        ("cars", {"search_fields": ["page"]}, ["2"]),
    ],
)
def test_a_search_finds(pages: SearchClient, text: str, options: dict[str, Any], expected: list[str]) -> None:
    assert [found["id"] for found in pages.search(text, **options)] == expected


def test_terms_at_one_position_are_alternatives_not_further_words(pages: SearchClient) -> None:
    pages.upload_documents([{"id": "4", "start": "Harbour master"}, {"id": "5", "start": "Harbour mast"}])
    assert {found["id"] for found in pages.search("harb mas", search_fields=["start"], search_mode="all")} == {"4", "5"}
    assert {found["id"] for found in pages.search('"harbour mas"', search_fields=["start"])} == {"4", "5"}
    assert [found["id"] for found in pages.search('"mast harb"', search_fields=["start"])] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cafe pier", ["The <b><em>Café</b></em> by the sea &amp; the <em>pier</em>.</p>"]),
        ('"cafe by"', ["The <b><em>Café</b></em> <em>by</em> the sea &amp; the pier.</p>"]),
        ("pie*", ["The <b>Café</b> by the sea &amp; the <em>pier</em>.</p>"]),
    ],
)
def test_highlights_mark_the_places_in_the_text_as_it_is_stored(
    pages: SearchClient, text: str, expected: list[str]
) -> None:
    found = next(iter(pages.search(text, highlight_fields="page")))
    marked = found["@search.highlights"]["page"]
    assert [passage.replace("<p>", "") for passage in marked] == expected


def test_a_highlight_of_a_synonym_marks_the_words_it_stands_for(pages: SearchClient) -> None:
    found = next(iter(pages.search('"big apple"', highlight_fields="page", filter="id eq '2'")))
    assert found["@search.highlights"]["page"] == [
        "<p>Motor cars of <em>New</em> <em>York</em> <em>City</em>.</p><p>No boats.</p>"
    ]


def test_captions_are_verbatim_over_such_a_field(pages: SearchClient) -> None:
    found = next(
        iter(
            pages.search(
                "lighthouse keeper",
                query_type="semantic",
                semantic_configuration_name="plain",
                query_caption="extractive",
            )
        )
    )
    assert found["@search.captions"][0].text == PAGES[2]["page"]


def test_a_document_with_a_token_too_long_fails_alone_and_what_was_there_stays(pages: SearchClient) -> None:
    results = pages.upload_documents(
        [{"id": "1", "codes": ["x" * 301]}, {"id": "6", "codes": ["x" * 300]}, {"id": "7", "codes": ["ok"]}]
    )
    assert [(one.key, one.succeeded, one.status_code) for one in results] == [
        ("1", False, 400),
        ("6", True, 201),
        ("7", True, 201),
    ]
    assert "301 characters" in str(results[0].error_message)
    assert [found["id"] for found in pages.search("AB-1", search_fields=["codes"])] == ["1"]


@pytest.mark.parametrize("text", ["x" * 30_001, " ".join(f"{n:010}" for n in range(1_100)), f'"{"abcdefghij " * 60}"'])
def test_a_search_that_makes_too_much_of_itself_is_refused(pages: SearchClient, text: str) -> None:
    with pytest.raises(HttpResponseError, match="analyzer"):
        list(pages.search(text, search_fields=["start"]))
