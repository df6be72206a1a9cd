"""The loopback server, over real sockets: what reaches a service, and how an answer leaves."""

import asyncio
import contextlib
import http.client
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final
from urllib.parse import urlsplit

import pytest

from retrieval.local.application import Patience
from retrieval.local.server import CannotListen, listen, serving
from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse
from tests.scenarios.failures.jumping_loop import JumpingLoop


async def echo(request: WireRequest) -> WireResponse:
    seen = {
        "method": request.method,
        "target": request.target,
        "headers": request.headers,
        "body": request.body.decode(),
    }
    return WireResponse(status=200, headers=(("x-a", "1"), ("X-A", "2")), body=json.dumps(seen).encode())


class Wire:
    """A connection that is written to and read from by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def exchange(self, sent: bytes, *, head: bool = False) -> tuple[int, list[tuple[str, str]], bytes]:
        self.writer.write(sent)
        return await self.receive(head=head)

    async def receive(self, *, head: bool = False) -> tuple[int, list[tuple[str, str]], bytes]:
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = [line.partition(": ") for line in lines[1:] if line]
        headers = [(name, value) for name, _, value in pairs]
        length = int(dict(headers).get("content-length", "0"))
        return int(lines[0].split()[1]), headers, b"" if head else await self.reader.readexactly(length)

    async def seen(self, sent: bytes) -> dict[str, object]:
        seen: dict[str, object] = json.loads((await self.exchange(sent))[2])
        return seen


@contextlib.asynccontextmanager
async def connected(address: str) -> AsyncIterator[Wire]:
    url = urlsplit(address)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    try:
        yield Wire(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def wired(*, body_limit: int = 1_000_000) -> AsyncIterator[Wire]:
    async with serving(echo, body_limit=body_limit) as address, connected(address) as wire:
        yield wire


async def test_a_service_sees_the_target_and_the_headers_as_they_were_sent() -> None:
    async with wired() as wire:
        seen = await wire.seen(
            b"POST //agents(%27a%2Fb%27)/x?q=%20&q HTTP/1.1\r\nHost: h\r\nB: 1\r\nA: \xc3\xa9\r\nb: \xe9\r\n"
            b"content-length: 2\r\n\r\n{}"
        )
    assert seen == {
        "method": "POST",
        "target": "//agents(%27a%2Fb%27)/x?q=%20&q",
        "headers": [["host", "h"], ["b", "1"], ["a", "é"], ["b", "é"], ["content-length", "2"]],
        "body": "{}",
    }


async def test_an_absolute_target_is_cut_to_its_path() -> None:
    async with wired() as wire:
        first = await wire.seen(b"GET http://example.org/x?y=http://z HTTP/1.1\r\nHost: h\r\n\r\n")
        second = await wire.seen(b"GET http://example.org HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (first["target"], second["target"]) == ("/x?y=http://z", "/")


async def test_a_chunked_body_arrives_whole() -> None:
    async with wired() as wire:
        seen = await wire.seen(
            b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        )
    assert seen["body"] == "abcde"


async def test_a_connection_serves_one_request_after_another() -> None:
    async with wired() as wire:
        for number in range(3):
            assert (await wire.seen(b"GET /%d HTTP/1.1\r\nHost: h\r\n\r\n" % number))["target"] == f"/{number}"


async def test_repeated_headers_leave_as_they_are_and_the_length_is_counted_here() -> None:
    async def liar(request: WireRequest) -> WireResponse:
        headers = (("x-a", "1"), ("Content-Length", "999"), ("Transfer-Encoding", "chunked"), ("X-A", "2"))
        return WireResponse(status=200, headers=headers, body=b"four")

    async with serving(liar) as address, connected(address) as wire:
        status, headers, body = await wire.exchange(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (status, body) == (200, b"four")
    assert [(name.lower(), value) for name, value in headers if name.lower() != "date"] == [
        ("x-a", "1"),
        ("x-a", "2"),
        ("content-length", "4"),
    ]


async def test_head_and_no_content_have_no_body() -> None:
    async def none(request: WireRequest) -> WireResponse:
        return WireResponse(status=204 if request.target == "/204" else 200, body=b"body")

    async with serving(none) as address, connected(address) as wire:
        status, headers, _ = await wire.exchange(b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", head=True)
        assert (status, dict(headers)["content-length"]) == (200, "4")
        status, headers, body = await wire.exchange(b"GET /204 HTTP/1.1\r\nHost: h\r\n\r\n")
        assert (status, "content-length" in dict(headers), body) == (204, False, b"")


async def test_a_declared_body_over_the_limit_is_refused_unread() -> None:
    async with wired(body_limit=4) as wire:
        status, _, body = await wire.exchange(b"POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 5000000000\r\n\r\n")
    assert (status, body) == (413, b"")


async def test_a_chunked_body_over_the_limit_is_refused_while_it_comes() -> None:
    async with wired(body_limit=4) as wire:
        wire.writer.write(b"POST / HTTP/1.1\r\nHost: h\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n")
        assert (await wire.receive())[0] == 413
        wire.writer.write(b"2\r\nfg\r\n0\r\n\r\n")
        assert (await wire.seen(b"GET /next HTTP/1.1\r\nHost: h\r\n\r\n"))["target"] == "/next"


QUICK: Final = Patience(head=0.5, body=0.5)


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST / HTTP/1.1\r\nHost: h\r\n", b"GET /first HTTP/1.1\r\nHost: h\r\n\r\nGET /second HTTP/1.1\r\nHost:"],
)
async def test_a_head_that_never_ends_ends_the_connection(sent: bytes) -> None:
    first, blank, second = sent.partition(b"\r\n\r\n")
    async with serving(echo, patience=QUICK) as address, connected(address) as wire:
        if blank:
            await wire.seen(first + blank)
        wire.writer.write(second or sent)
        assert await wire.reader.read() == b""


WHOLE: Final = b"GET /first HTTP/1.1\r\nHost: h\r\n\r\n"


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [b"G"],
        [b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n"],
        [b"GET / HTTP/1.1\r\n", *[b"x: y\r\n"] * 60],
        [WHOLE, b"GET /second HTTP/1.1\r\nHost:"],
        [WHOLE + b"GET /sec"],
        [WHOLE + WHOLE + b"GET /third HTTP/1.1\r\nHost: h", *[b"h"] * 60],
    ],
)
def test_a_half_sent_head_ends_the_connection_after_ten_seconds(parts: list[bytes]) -> None:
    """On a clock that jumps: the parts come half a second after each other."""

    async def send(wire: Wire) -> None:
        for part in parts:
            wire.writer.write(part)
            await asyncio.sleep(0.5)

    async def talk() -> tuple[float, bytes]:
        clock = asyncio.get_running_loop().time
        async with serving(echo) as address, connected(address) as wire:
            begun, answered, sending = clock(), b"", asyncio.create_task(send(wire))
            with contextlib.suppress(ConnectionResetError):
                while part := await wire.reader.read(65_536):
                    answered += part
            sending.cancel()
            return clock() - begun, answered

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        seconds, answered = runner.run(talk())
    assert 10 <= seconds <= 11
    assert answered.count(b"HTTP/1.1 200") == b"".join(parts).count(WHOLE)


@pytest.mark.parametrize("length", [b"Content-Length: 9", b"Transfer-Encoding: chunked"])
async def test_a_body_that_never_ends_is_a_408(length: bytes) -> None:
    async with serving(echo, patience=QUICK) as address, connected(address) as wire:
        status, _, body = await wire.exchange(b"POST / HTTP/1.1\r\nHost: h\r\n" + length + b"\r\n\r\n")
        assert (status, body) == (408, b"")
        assert await wire.reader.read() == b""


@pytest.mark.parametrize(
    "sent",
    [
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\ncontent-length: 6\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    ],
)
async def test_a_request_whose_end_others_may_read_elsewhere_is_refused_and_nothing_after_it_is_answered(
    sent: bytes,
) -> None:
    async with wired() as wire:
        wire.writer.write(sent + b"GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
        answered = await wire.reader.read()
    assert answered.startswith(b"HTTP/1.1 400 ")
    assert (answered.count(b"HTTP/1.1 "), answered.count(b"smuggled")) == (1, 0)


async def test_the_body_of_a_request_that_is_not_accepted_is_not_read() -> None:
    """It is answered while its body is still to come, and the service sees none of it."""
    seen: list[WireRequest] = []

    async def service(request: WireRequest) -> WireResponse:
        seen.append(request)
        return WireResponse(status=403)

    head = b"POST /x HTTP/1.1\r\nHost: h\r\n%s\r\nContent-Length: 900000\r\n\r\nabc"
    async with serving(service, accepts=lambda head: head.header("api-key") == "mine") as address:
        async with connected(address) as wire:
            assert (await wire.exchange(head % b"api-key: theirs"))[0] == 403
        async with connected(address) as wire:
            assert (await wire.exchange(head % b"api-key: mine" + b"d" * 899_997))[0] == 403
    assert [len(one.body) for one in seen] == [0, 900_000]


async def test_a_cut_connection_ends_without_an_answer() -> None:
    async def cut(request: WireRequest) -> WireResponse:
        raise ConnectionCut

    async with serving(cut) as address, connected(address) as wire:
        wire.writer.write(b"POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 2\r\n\r\n{}")
        assert await wire.reader.read() == b""


async def test_a_service_that_fails_is_an_empty_500_and_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(request: WireRequest) -> WireResponse:
        raise LookupError("for the log")

    async with serving(broken) as address, connected(address) as wire:
        status, _, body = await wire.exchange(b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (status, body) == (500, b"")
    assert "LookupError: for the log" in caplog.text


@pytest.mark.parametrize(
    "response",
    [
        WireResponse(status=200, headers=(("x", "a\r\nset-cookie: b"),)),
        WireResponse(status=200, headers=(("x y", "a"),)),
        WireResponse(status=200, headers=(("x", "é"),)),
        WireResponse(status=99),
    ],
)
async def test_an_answer_that_would_break_the_wire_is_an_empty_500(response: WireResponse) -> None:
    async def answer(request: WireRequest) -> WireResponse:
        return response

    async with serving(answer) as address, connected(address) as wire:
        status, headers, body = await wire.exchange(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (status, body) == (500, b"")
    assert "set-cookie" not in dict(headers)


async def test_two_requests_are_served_at_once() -> None:
    both = asyncio.Barrier(2)

    async def meet(request: WireRequest) -> WireResponse:
        await both.wait()
        return WireResponse(status=200)

    async with serving(meet) as address, connected(address) as one, connected(address) as other:
        request = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        answers = await asyncio.gather(one.exchange(request), other.exchange(request))
    assert [status for status, _, _ in answers] == [200, 200]


async def test_a_client_that_leaves_in_the_middle_of_its_body_harms_nobody() -> None:
    async with serving(echo) as address:
        async with connected(address) as wire:
            wire.writer.write(b"POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 5\r\n\r\nab")
            await wire.writer.drain()
        async with connected(address) as wire:
            assert (await wire.exchange(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"))[0] == 200


async def test_a_port_in_use_is_one_sentence() -> None:
    async with serving(echo) as address:
        port = urlsplit(address).port or 0
        with pytest.raises(CannotListen, match=rf"^Cannot listen on 127\.0\.0\.1:{port}: address already in use\.$"):
            listen("127.0.0.1", port)


async def test_an_address_of_another_machine_is_one_sentence() -> None:
    with pytest.raises(CannotListen, match=r"^Cannot listen on 192\.0\.2\.1:0: "):
        listen("192.0.2.1", 0)


@pytest.fixture
def plain_client() -> Iterator[Callable[[str], int]]:
    """The standard library's client, in another thread than the server's."""

    def get(address: str) -> int:
        connection = http.client.HTTPConnection(urlsplit(address).netloc)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status
        finally:
            connection.close()

    yield get


async def test_an_ordinary_client_gets_its_answer(plain_client: Callable[[str], int]) -> None:
    async with serving(echo) as address:
        assert await asyncio.to_thread(plain_client, address) == 200
