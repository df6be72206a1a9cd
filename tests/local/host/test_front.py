"""The host as a service, over an engine of the test's own: what reaches a function, and what does not."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.host import Host, host_over
from retrieval.local.host.exchange import Invocation, fold_headers, fold_query
from retrieval.local.host.front import WITHOUT_LENGTH
from retrieval.local.host.table import Function
from retrieval.local.wire import WireRequest, WireResponse


class Recorder:
    """An engine that keeps the calls."""

    title = "recorder"

    def __init__(self, *functions: Function) -> None:
        self.functions = functions
        self.calls: list[tuple[str, Invocation]] = []

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        self.calls.append((function, call))
        return WireResponse(status=200, body=b"called")


async def called(target: str = "/f", *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Invocation:
    engine = Recorder(Function(name="f", route="f/{*rest}"))
    request = WireRequest(method="POST", target=target, headers=tuple((headers or {}).items()), body=body)
    assert (await host_over(engine)(request)).status == 200
    return engine.calls[0][1]


def small_host(limit: int) -> Host:
    return host_over(Recorder(Function(name="f", methods=("POST",))), body_limit=limit)


@pytest.mark.parametrize(
    ("headers", "folded"),
    [
        ([("X-A", "1"), ("x-a", "2")], {"x-a": "1,2"}),
        ([("x-a", ""), ("x-b", "1")], {"x-a": "", "x-b": "1"}),
        ([("x-a", "1"), ("x-a", ""), ("x-a", "2")], {"x-a": "1,2"}),
    ],
)
def test_repeated_headers_are_joined_by_a_comma(headers: list[tuple[str, str]], folded: dict[str, str]) -> None:
    assert fold_headers(headers) == folded


@pytest.mark.parametrize(
    ("query", "folded"),
    [
        ("", {}),
        ("a=1&a=2", {"a": "1,2"}),
        ("a=1&A=2", {"a": "1,2"}),
        ("a=&b=1&c", {"b": "1"}),
        ("a=&a=1", {"a": "1"}),
        ("a=b=c", {"a": "b=c"}),
        ("a+b=c+d%20%2B", {"a b": "c d +"}),
        ("=x", {"": "x"}),
        ("a=%ff&b=%E4%B8%AD", {"a": "%ff", "b": "中"}),
    ],
)
def test_query_keys_are_folded_and_empty_values_dropped(query: str, folded: dict[str, str]) -> None:
    assert fold_query(query) == folded


@given(st.text())
def test_no_query_fails_or_leaves_an_empty_value(query: str) -> None:
    assert all(fold_query(query).values())


async def test_a_body_is_passed_on_with_its_length_or_in_chunks() -> None:
    assert (await called(headers={"content-length": "4"}, body=b"body")).body == b"body"
    chunked = await called(headers={"transfer-encoding": "Chunked"}, body=b"body")
    assert (chunked.body, chunked.headers["transfer-encoding"]) == (b"body", "Chunked")
    assert (await called(headers={"content-length": "many"}, body=b"body")).body == b""


async def test_the_log_is_told_once_that_the_functions_host_would_not_pass_on_chunks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    host = host_over(Recorder(Function(name="f")))
    for body in (b"", b"body", b"again"):
        await host(WireRequest(method="POST", target="/f", headers=(("transfer-encoding", "chunked"),), body=body))
    assert [record.getMessage() for record in caplog.records] == [WITHOUT_LENGTH]
    assert "`func start` would pass on an empty one" in WITHOUT_LENGTH


async def test_the_url_is_absolute_and_escaped_again() -> None:
    call = await called("/f/%28a%29%20b/%2F%41/%C3%A9?q=%20x", headers={"host": "example:7071"})
    assert call.url == "http://example:7071/f/(a)%20b/%2FA/%C3%A9?q=%20x"
    assert call.route_values == {"rest": "(a) b/%2FA/é"}
    assert (await called("/f")).url == "http://localhost/f"


@pytest.mark.parametrize(
    ("method", "target"), [("GET", "/f"), ("POST", "/g"), ("POST", "*"), ("POST", "f"), ("POST", ""), ("POST", "//f")]
)
async def test_what_no_route_takes_is_an_empty_404(method: str, target: str) -> None:
    assert await small_host(1)(WireRequest(method=method, target=target)) == WireResponse(status=404)


@pytest.mark.parametrize("target", ["/f%00", "/f/é", "/f?q=é", "/é"])
async def test_a_null_character_or_one_that_is_not_ascii_is_an_empty_400(target: str) -> None:
    assert await small_host(1)(WireRequest(method="POST", target=target)) == WireResponse(status=400)


async def test_a_body_over_the_limit_is_an_empty_413() -> None:
    host = small_host(4)
    declared = WireRequest(method="POST", target="/f", headers=(("content-length", "5"),))
    sent = WireRequest(method="POST", target="/f", body=b"12345")
    fits = WireRequest(method="POST", target="/f", headers=(("content-length", "4"),), body=b"1234")
    assert [(await host(request)).status for request in (declared, sent, fits)] == [413, 413, 200]


async def test_the_listing_names_functions_in_the_order_of_precedence() -> None:
    host = host_over(
        Recorder(Function(name="b"), Function(name="a", route="/x/{y}", methods=("GET", "POST"))), prefix=""
    )
    assert host.listing("http://h:1") == ("a: [GET,POST] http://h:1/x/{y}", "b: [ANY] http://h:1/b")
