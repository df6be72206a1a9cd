"""Which addresses are called: seen at the socket, whatever a definition names and a name leads to."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest

from retrieval.errors import BackendUnavailable
from retrieval.model.tools import NOTHING_PASSED
from retrieval.sources.mcp_server.hosts import McpHosts, host_of_entry
from retrieval.sources.mcp_server.search.servers import McpServers
from tests.scripted_mcp import ScriptedMcp
from tests.scripted_mcp.sockets import NamingLoop, watched
from tests.sources.mcp_server.conftest import calling, target


def hosts(*entries: str, local: bool = False) -> McpHosts:
    found = [host_of_entry(entry) for entry in entries]
    return McpHosts(hosts=tuple(host for host in found if host is not None), local=local)


def named(names: Mapping[str, list[list[str]]]) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, NamingLoop)
    loop.give(names)


async def refused(allowed: McpHosts, url: str) -> list[tuple[str, str]]:
    """What was connected to or looked up for a server that may not be called."""
    servers = McpServers(allowed, values={}, unmarked=())
    with watched() as seen, pytest.raises(BackendUnavailable):
        await servers.tools(target(url), NOTHING_PASSED)
    await servers.close()
    return seen


PRIVATE = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.0.0.5",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "169.254.130.1",
    "168.63.129.16",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::",
    "::7f00:1",
]


@pytest.mark.parametrize("address", PRIVATE)
async def test_a_name_that_is_allowed_is_not_called_at_an_address_that_is_not(address: str) -> None:
    named({"tools.example.com": [[address]]})
    assert await refused(hosts("tools.example.com"), "https://tools.example.com/mcp") == []


@pytest.mark.parametrize("address", PRIVATE)
async def test_an_address_of_a_machine_itself_is_never_called_whatever_its_entry_says(address: str) -> None:
    """An entry may carry a private network; never loopback away from a developer's machine, or metadata."""
    may = {"10.0.0.5", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fc00::1"}
    for network in ("0.0.0.0/0", "::/0"):
        (host,) = hosts(f"tools.corp={network}").hosts
        allowed = McpHosts(hosts=(host,)).may_connect(host, address)
        assert allowed is (address in may and (":" in address) is (":" in network)), address


@pytest.mark.parametrize(
    "url",
    [
        "https://169.254.169.254/mcp",
        "https://[::1]/mcp",
        "https://[fd00:ec2::254]/mcp",
        "https://127.0.0.1/mcp",
        "http://localhost/mcp",
        "https://localhost/mcp",
    ],
)
async def test_an_address_in_the_place_of_a_name_is_checked_alike(url: str) -> None:
    host = urlsplit(url).netloc
    assert await refused(hosts(host), url) in ([], [("name", "localhost")])


async def test_a_private_address_is_allowed_in_the_network_of_its_entry_alone() -> None:
    (host,) = hosts("tools.corp=10.1.0.0/16").hosts
    allowed = McpHosts(hosts=(host,))
    assert allowed.may_connect(host, "10.1.2.3")
    assert not allowed.may_connect(host, "10.2.2.3")
    assert allowed.may_connect(host, "8.8.8.8")


async def test_a_name_that_leads_elsewhere_after_the_check_is_not_followed() -> None:
    """The address is checked for each socket: a name cannot change between the check and the connection."""
    server = ScriptedMcp()
    async with server.listening() as address:
        port = urlsplit(address).port
        named({"localhost": [["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1", "168.63.129.16"]]})
        url = f"http://localhost:{port}/mcp"
        for number, local in enumerate((True, True, True)):
            servers = McpServers(hosts("localhost", local=local), values={}, unmarked=())
            with watched() as seen:
                try:
                    await servers.search(calling(target(url)))
                    ended = True
                except BackendUnavailable:
                    ended = False
            await servers.close()
            assert ended is (number == 0)
            assert {where for what, where in seen if what == "connect"} == ({f"127.0.0.1:{port}"} if ended else set())


async def test_of_several_addresses_only_those_that_are_allowed_are_tried() -> None:
    server = ScriptedMcp()
    async with server.listening() as address:
        port = urlsplit(address).port
        named({"localhost": [["169.254.169.254", "10.0.0.1", "127.0.0.1"]]})
        servers = McpServers(hosts("localhost", local=True), values={}, unmarked=())
        with watched() as seen:
            assert (await servers.search(calling(target(f"http://localhost:{port}/mcp")))).hits
        await servers.close()
    assert {where for what, where in seen if what == "connect"} == {f"127.0.0.1:{port}"}


@pytest.mark.parametrize(
    "url",
    [
        "http://tools.example.com/mcp",
        "https://tools.example.com:8443/mcp",
        "https://tools.example.com.evil.com/mcp",
        "https://evil.com/tools.example.com",
        "https://tools.example.com@evil.com/mcp",
        "https://evil.com#@tools.example.com/",
        "https://evil.com?@tools.example.com/",
        "https://evil.com\\@tools.example.com/",
        "https://tools.example.com /mcp",
        "https://tools.example.com\t/mcp",
        "https://tools.example.com\r\nx: y/mcp",
        "https://tools。example.com/mcp",
        "https://ｔools.example.com/mcp",
        "https:tools.example.com/mcp",
        "//tools.example.com/mcp",
        "file:///etc/passwd",
        "ftp://tools.example.com/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "",
        "https://",
    ],
)
async def test_an_address_that_is_not_of_a_named_host_is_not_looked_up(url: str) -> None:
    allowed = hosts("tools.example.com")
    assert allowed.fault(url) is not None
    assert await refused(allowed, url) == []


def test_no_entry_means_no_server() -> None:
    assert McpHosts().fault("https://tools.example.com/mcp") is not None
    assert McpHosts(local=True).fault("http://localhost:9000/mcp") is not None


@pytest.mark.parametrize(
    "entry",
    ["", "*", "*.corp", "https://a.b", "a b", "a.b=", "a.b=10.0.0.1/8", "a.b=ten", "a.b:0", "a.b:99999", "a_b", "-a"],
)
def test_an_entry_of_another_form_is_none(entry: str) -> None:
    assert host_of_entry(entry) is None


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("Tools.Example.com", "https://tools.example.COM/mcp"),
        ("tools.example.com", "https://tools.example.com:443"),
        ("tools.example.com:8443", "https://tools.example.com:8443/a/b"),
        ("[2606:4700:0::1]", "https://[2606:4700::1]/mcp"),
        ("tools.corp=10.1.0.0/16", "https://tools.corp/mcp"),
        ("tools.corp:8443=fd12::/48", "https://tools.corp:8443/mcp"),
    ],
)
def test_a_named_host_may_be_called_in_any_spelling(entry: str, url: str) -> None:
    assert hosts(entry).fault(url) is None
