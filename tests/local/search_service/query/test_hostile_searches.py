"""Whatever is sent to a search, the answer is a success or a refusal that says why."""

import asyncio
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.wire import WireRequest, WireResponse
from tests.local.search_service.conftest import BOATS, FLEET, VERSION


@cache
def fleet() -> SearchService:
    service = SearchService()
    ask(service, "/indexes", BOATS)
    ask(service, "/indexes/boats/docs/index", {"value": FLEET})
    return service


def ask(service: SearchService, path: str, body: Any) -> WireResponse:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    key = ("api-key", "local-dev-key")
    target = f"{path}?api-version={VERSION}"
    return asyncio.run(service(WireRequest(method="POST", target=target, headers=(key,), body=content)))


def search(body: Any) -> WireResponse:
    return ask(fleet(), "/indexes/boats/docs/search", body)


texts = st.text(
    alphabet=st.one_of(st.sampled_from('ketch lamp "()+-|*\\~^:[]{}/\x00\x01'), st.characters()), max_size=60
)


@given(texts, st.sampled_from(["any", "all"]), st.sampled_from(["simple", "semantic"]))
def test_any_text_is_searched(text: str, mode: str, kind: str) -> None:
    answer = search({"search": text, "searchMode": mode, "queryType": kind})
    surrogates = any("\ud800" <= sign <= "\udfff" for sign in text)
    assert answer.status == (400 if surrogates else 200)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
members = st.sampled_from(
    ["search", "filter", "top", "skip", "select", "queryType", "count", "semanticQuery", "facets"]
)


@given(st.dictionaries(members | texts, json_values, max_size=3) | json_values)
def test_any_json_is_answered(body: Any) -> None:
    answer = search(body)
    assert answer.status in (200, 400)
    assert answer.status == 200 or json.loads(answer.body)["error"]["message"]


@given(st.dictionaries(st.sampled_from([field["name"] for field in BOATS["fields"]]) | texts, json_values, max_size=4))
def test_any_document_is_taken_or_refused_and_the_index_goes_on(fields: dict[str, Any]) -> None:
    answer = ask(fleet(), "/indexes/boats/docs/index", {"value": [{"id": "fuzz", **fields}]})
    assert answer.status in (200, 207, 400)
    assert b'"id":"1"' in search({"search": "ketch"}).body


@given(json_values | st.fixed_dictionaries({"name": st.just("other"), "fields": json_values}))
def test_any_definition_is_taken_or_refused(body: Any) -> None:
    assert ask(fleet(), "/indexes", body).status in (201, 400, 409)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "x" * 99_999 + "*",
        '"' + "a " * 40_000 + '"',
        "*" * 100_000,
        "(" * 100_000,
        '"' * 100_000,
        "-" * 99_999,
    ],
    ids=["word", "prefix", "phrase", "stars", "parentheses", "quotes", "minuses"],
)
def test_a_text_as_long_as_is_allowed_is_answered(text: str) -> None:
    assert search({"search": text, "queryType": "semantic"}).status in (200, 400)
