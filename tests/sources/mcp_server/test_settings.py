"""The settings of MCP servers: hosts, and the values of headers."""

import json

import pytest

from retrieval.errors import NotConfigured
from retrieval.settings import settings
from retrieval.sources.mcp_server.settings import McpServerSettings

AZURE = {"AZURE_SEARCH_ENDPOINT": "https://s.search.windows.net", "API_KEYS": "k", "AGENTS_FILE": "agents.json"}


def read_settings(environ: dict[str, str]) -> McpServerSettings:
    return settings.read(environ, McpServerSettings).of(McpServerSettings)


def problems(environ: dict[str, str]) -> str:
    with pytest.raises(NotConfigured) as caught:
        read_settings(environ)
    return " ".join(caught.value.sentences)


def test_mcp_hosts_have_a_port_or_a_network_and_are_none_unless_named() -> None:
    assert McpServerSettings().mcp_hosts == ()
    read = read_settings({**AZURE, "MCP_HOSTS": "Tools.Example.com, b.example:8443, c.corp=10.1.0.0/16"})
    assert [(host.name, host.port, str(host.network)) for host in read.mcp_hosts] == [
        ("tools.example.com", None, "None"),
        ("b.example", 8443, "None"),
        ("c.corp", None, "10.1.0.0/16"),
    ]
    for entry in ("https://a.example", "*", "a.example=10.0.0.1/8", "a b"):
        assert "is not a host such as" in problems({**AZURE, "MCP_HOSTS": f"a.example, {entry}"})


HOSTS = {**AZURE, "MCP_HOSTS": "a.example, b.example:8443, c.corp=10.1.0.0/16"}


def test_values_of_headers_are_each_for_one_host_and_stay_out_of_what_is_shown() -> None:
    values = {"A.Example": {"docs": "Bearer quite-secret"}, "b.example:8443": {"docs": "other"}, "c.corp": {"x": "y"}}
    read = read_settings({**HOSTS, "MCP_HEADERS": json.dumps(values)})
    assert [(host.name, dict(of_host)) for host, of_host in read.values.items()] == [
        ("a.example", {"docs": "Bearer quite-secret"}),
        ("b.example", {"docs": "other"}),
        ("c.corp", {"x": "y"}),
    ]
    assert set(read.values) == set(read.mcp_hosts)
    assert "quite-secret" not in repr(read)


@pytest.mark.parametrize(
    "value",
    [
        '{"docs": "Bearer quite-secret"}',
        '{"other.example": {"docs": "quite-secret"}}',
        '{"b.example": {"docs": "quite-secret"}}',
        '{"https://a.example": {"docs": "quite-secret"}}',
        '{"a.example": {"a b": "quite-secret"}}',
        '{"a.example": {"docs": "a\\nquite-secret"}}',
        '{"a.example": {"docs": "quite-secret "}}',
        '{"a.example": {"docs": ["quite-secret"]}}',
        "[]",
    ],
)
def test_values_of_headers_that_are_for_no_host_or_none_are_refused(value: str) -> None:
    said = problems({**HOSTS, "MCP_HEADERS": value})
    assert "MCP_HEADERS" in said and "quite-secret" not in said
