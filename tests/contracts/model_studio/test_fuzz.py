"""Whatever stands in the query string, the body or the headers: JSON in the contract's envelope, and never a 500."""

import asyncio
import json
import string
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

from retrieval.contracts.model_studio.parameters import Parameters
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from tests.contracts.model_studio.conftest import PATH
from tests.filters.people import PATTERNS, WORDS
from tests.laws import law

NAMES = [
    "IndexId", "Query", "DenseSimilarityTopK", "SparseSimilarityTopK", "EnableReranking", "Rerank", "RerankMinScore",
    "RerankTopN", "EnableRewrite", "Rewrite", "QueryHistory", "Images", "SearchFilters", "SaveRetrieverHistory",
    "Extra",
]  # fmt: skip
TELLING = [
    "earth-at-night", "Phoenix", "True", "false", "0", "1", "5", "0.2", "1e5", "NaN", "-INF", "null", "[]", "{}",
    "[{}]",
    '[{"page_number":"104"}]', '[{"page_number":{"like":"1%"}}]', '[{"page_number":{"like":"\\\\"}}]', "[[[[", '"[]"',
    '{"a":1,"a":2}', '"\\ud800"', "[1e999999999999999999999]", "9" * 4000, "[" * 300 + "]" * 300, *WORDS, *PATTERNS,
]  # fmt: skip

_names = st.sampled_from(NAMES) | st.sampled_from(NAMES).map(str.upper) | st.text(max_size=4)
_texts = st.sampled_from(TELLING) | st.text(max_size=10)
_values: st.SearchStrategy[Any] = st.recursive(
    _texts | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names | st.sampled_from(["page_number"]), inner),
    max_leaves=6,
)
_usual = {"IndexId": "earth-at-night", "Query": "Phoenix"}


def _encoded(pairs: list[tuple[str, str]]) -> str:
    return "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs)


def _quoted(text: str) -> str:
    return quote_plus(text, errors="surrogatepass")


_pairs = st.lists(st.tuples(_names, _texts), max_size=5)
_queries = _pairs.map(lambda pairs: _encoded([*_usual.items(), *pairs])) | _pairs.map(_encoded)
_raw = st.text(alphabet=string.ascii_letters + string.digits + "%&=+;[]{}\"'/?#", max_size=60).map(
    lambda text: quote(text, safe="%&=+;/?")
)
_bodies = (
    st.binary(max_size=30)
    | st.dictionaries(_names, _values, max_size=5).map(lambda body: json.dumps({**_usual, **body}).encode())
    | _values.map(lambda value: json.dumps(value).encode())
    | _queries.map(str.encode)
)
_kinds = st.sampled_from(["", "application/json", "application/x-www-form-urlencoded", "text/plain; charset=x"])
_claims = st.text(alphabet=string.printable.strip(), max_size=40) | st.builds(
    "ACS3-HMAC-SHA256 Credential={},SignedHeaders={},Signature={}".format,
    st.sampled_from(["local-ak", "", "x"]),
    st.sampled_from(["host", "host;x-acs-date", ";;", "x"]),
    st.sampled_from(["", "00", "=", "," * 50]),
)


def send(host: Host, target: str, body: bytes, headers: Mapping[str, str]) -> None:
    sent = (("content-length", str(len(body))), *headers.items())
    response = asyncio.run(host(WireRequest(method="POST", target=target, headers=sent, body=body)))
    answer = json.loads(response.body)
    assert set(answer) >= {"Code", "Message", "RequestId", "Status", "Success"}
    assert answer["Status"] == str(response.status)
    assert response.status == 200 or 400 <= response.status < 500, answer
    assert answer["Success"] is (response.status == 200)


many = law(400)


@many
@given(query=_queries | _raw)
def test_any_query_string_is_answered(host: Host, query: str) -> None:
    send(host, f"{PATH}?{query}", b"", {"api-key": "local-dev-key"})


@many
@given(body=_bodies, kind=_kinds)
def test_any_body_is_answered(host: Host, body: bytes, kind: str) -> None:
    send(host, PATH, body, {"api-key": "local-dev-key", "content-type": kind})


@many
@given(claim=_claims, date=_texts, nonce=_texts)
def test_any_authorization_is_answered(host: Host, claim: str, date: str, nonce: str) -> None:
    headers = {"host": "h", "authorization": claim, "x-acs-date": date, "x-acs-signature-nonce": nonce}
    send(host, f"{PATH}?IndexId=earth-at-night&Query=x", b"", {name: value for name, value in headers.items() if value})


def test_every_parameter_is_fuzzed() -> None:
    assert len(NAMES) == len(Parameters.model_fields)
