"""The page about MCP servers has the numbers and names of the code."""

from pathlib import Path
from typing import Final

from retrieval.model.search import RANKED_PER_SUBQUERY
from retrieval.retrieve.search import tool_calls
from retrieval.sources.mcp_server import output
from retrieval.sources.mcp_server.definition import WAYS_OUT
from retrieval.sources.mcp_server.search import exchange

PAGE: Final = (Path(__file__).parents[3] / "docs" / "calling" / "mcp-servers.md").read_text(encoding="utf-8")


def test_the_page_has_the_numbers_and_names_of_the_code() -> None:
    assert exchange.LARGEST == 4 * 2**20 and "4 MiB" in PAGE
    assert f"{output.PAGE:,} characters" in PAGE
    assert f"{RANKED_PER_SUBQUERY} documents" in PAGE
    assert f"`{tool_calls.PROMPT}`" in PAGE
    assert all(f"`{kind}`" in PAGE for kind in WAYS_OUT)
