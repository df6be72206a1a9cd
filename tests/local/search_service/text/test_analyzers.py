"""Analyzers by their names, through `search.analyze` and through what a search finds."""

from typing import Any

import pytest
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import AnalyzeTextOptions
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.text.analysis import ANALYZERS
from tests.local.search_service.conftest import Send


def test_the_sdk_analyzes(boats: Any, indexes: SearchIndexClient) -> None:
    options = AnalyzeTextOptions(text="One's <two/>", analyzer_name="standard.lucene")
    tokens = indexes.analyze_text("boats", options).tokens
    assert [(one.token, one.start_offset, one.end_offset, one.position) for one in tokens] == [
        ("one's", 0, 5, 0),
        ("two", 7, 10, 1),
    ]


@pytest.mark.parametrize(
    ("analyzer", "text", "tokens"),
    [
        ("standard.lucene", "The Ships' 2.5 m-beam", "the ships 2.5 m beam"),
        ("en.lucene", "The ship's ketches", "ship ketch"),
        ("en.microsoft", "The ship's ketches", "ship ketch"),
        ("fr.lucene", "L'élève n’aime pas les chevaux", "élev aim cheval"),
        ("fr.microsoft", "les chevaux", "cheval"),
        ("keyword", "The ship's", "The ship's"),
        ("whitespace", "The ship's, 5", "The ship's, 5"),
        ("simple", "The ship's 5-beam", "the ship s beam"),
        ("stop", "The ship's 5-beam", "ship s beam"),
        ("zh-Hans.lucene", "北京大学 and ABC", "北京 京大 大学 abc"),
        ("zh-Hant.microsoft", "犬", "犬"),
        ("ja.lucene", "東京タワーＡＢｃ", "東京 京タ タワ ワー abc"),
        ("ja.microsoft", "ｶﾞｽは", "ガス スは"),
        ("ko.lucene", "한국어 분석", "한국 국어 분석"),
        ("standard.lucene", "The iPhoneสีดำ 24ครั้ง", "the iphone สี ีด ดำ 24 คร รั ั้ ้ง"),
        ("en.lucene", "ships ພາສາລາວ", "ship ພາ າສ ສາ າລ ລາ າວ"),
        ("fr.microsoft", "ខ្មែរ", "ខ្ ្ម មែ ែរ"),
        ("de.lucene", "မြန်မာ၊ ၅", "မြ ြန န် ်မ မာ ၅"),
        ("es.lucene", "ก", "ก"),
        ("zh-Hans.lucene", "北京ไทย", "北京 ไท ทย"),
        ("simple", "ไทย abc", "ไทย abc"),
    ],
)
def test_an_analyzer_makes_tokens(boats: Any, send: Send, analyzer: str, text: str, tokens: str) -> None:
    body = {"text": text, "analyzer": analyzer}
    found = send("POST", "/indexes('boats')/search.analyze", body).json()["tokens"]
    got = [one["token"] for one in found]
    assert (got if analyzer != "keyword" else [" ".join(got)]) == (
        tokens.split(" ") if analyzer != "keyword" else [tokens]
    )
    assert all(0 <= one["startOffset"] < one["endOffset"] <= len(text) for one in found)


def test_a_tokenizer_cuts_thai_as_the_analyzer_of_its_name_does(send: Send, boats: Any) -> None:
    for name in ("standard", "standard_v2"):
        body = {"text": "The iPhoneสีดำ", "tokenizer": name, "tokenFilters": ["lowercase"]}
        found = send("POST", "/indexes('boats')/search.analyze", body).json()["tokens"]
        assert [one["token"] for one in found] == ["the", "iphone", "สี", "ีด", "ดำ"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"text": "x", "analyzer": "it.lucene"}, "UnsupportedByLocalSearch"),
        ({"text": "x", "tokenizer": "classic"}, "UnsupportedByLocalSearch"),
        ({"text": "x", "tokenizer": "whitespace", "tokenFilters": ["phonetic"]}, "UnsupportedByLocalSearch"),
        ({"text": "x", "tokenizer": "blanks"}, "InvalidRequestParameter"),
        ({"text": "x", "tokenizer": "whitespace", "charFilters": ["strip"]}, "InvalidRequestParameter"),
        ({"text": "x", "tokenizer": "whitespace", "tokenFilters": ["lowercase"] * 31}, "InvalidRequestParameter"),
        ({"text": "x", "tokenizer": "whitespace", "analyzer": "simple"}, "InvalidRequestParameter"),
        ({"text": "x", "analyzer": "simple", "tokenFilters": ["lowercase"]}, "InvalidRequestParameter"),
        ({"text": "x", "normalizer": "tidy"}, "InvalidRequestParameter"),
        ({"text": "x"}, "InvalidRequestParameter"),
        ({"analyzer": "simple"}, "InvalidRequestParameter"),
        ({"text": 5, "analyzer": "simple"}, "InvalidRequestParameter"),
        ({"text": "x", "analyser": "simple"}, "InvalidRequestParameter"),
    ],
)
def test_what_cannot_be_analyzed_is_refused(boats: Any, send: Send, body: dict[str, Any], code: str) -> None:
    answer = send("POST", "/indexes/boats/analyze", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


def test_an_index_that_is_not_there_analyzes_nothing(send: Send) -> None:
    assert send("POST", "/indexes/none/analyze", {"text": "x", "analyzer": "simple"}).status_code == 404


texts = st.text(
    alphabet=st.one_of(st.sampled_from("ab ' 京都タワー한국ｶﾞไทยี່5.\x01"), st.characters(exclude_categories=["Cs"]))
)


@given(st.sampled_from(sorted(ANALYZERS)), texts)
def test_tokens_are_the_terms_with_places_in_the_text(name: str, text: str) -> None:
    analyzer = ANALYZERS[name]
    tokens = analyzer.tokens(text)
    positions = list(analyzer.positions(text))
    assert [token.term for token in tokens] == [term for term in positions if term is not None]
    assert all(positions[token.position] == token.term for token in tokens)
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)


LANGUAGES = {
    "name": "pages",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "ja", "type": "Edm.String", "analyzer": "ja.lucene"},
        {"name": "fr", "type": "Edm.String", "analyzer": "fr.lucene"},
        {"name": "code", "type": "Edm.String", "analyzer": "whitespace"},
    ],
}


@pytest.mark.parametrize(
    ("text", "fields", "keys"),
    [
        ('"京都"', "ja", ["1"]),
        ('"東京都"', "ja", ["1"]),
        ('"都東"', "ja", []),
        ('"大阪"', "ja", ["2"]),
        ("cheval", "fr", ["1"]),
        ("l'élève", "fr", ["2"]),
        ("les", "fr", []),
        ("AB-1", "code", ["1"]),
        ("ab-1", "code", []),
        ("AB*", "code", ["1"]),
        ("ab*", "code", ["2"]),
    ],
)
def test_a_search_uses_the_analyzer_of_the_field(send: Send, text: str, fields: str, keys: list[str]) -> None:
    assert send("POST", "/indexes", LANGUAGES).status_code == 201
    pages = [
        {"id": "1", "ja": "東京都に行く", "fr": "les chevaux", "code": "AB-1"},
        {"id": "2", "ja": "大阪の犬", "fr": "Des élèves", "code": "ab-2"},
    ]
    send("POST", "/indexes/pages/docs/index", {"value": pages})
    answer = send("POST", "/indexes/pages/docs/search", {"search": text, "searchFields": fields})
    assert [hit["id"] for hit in answer.json()["value"]] == keys
