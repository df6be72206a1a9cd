"""The page about MCP servers: its definition can be made, and what it says of parsing is what is done."""

import json
import re
from pathlib import Path
from typing import Final

from retrieval.model.search import RANKED_PER_SUBQUERY
from retrieval.retrieve.search import tool_calls
from retrieval.sources.mcp_server import output
from retrieval.sources.mcp_server.definition import WAYS_OUT
from retrieval.sources.mcp_server.search import exchange
from tests.scenarios.mcp_servers.conftest import VERSIONS, Deployment
from tests.scenarios.mcp_servers.test_definitions import said

PAGE: Final = (Path(__file__).parents[3] / "docs" / "calling" / "mcp-servers.md").read_text(encoding="utf-8")


async def test_the_definition_of_the_page_can_be_made_in_each_version(deployment: Deployment) -> None:
    [block] = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    definition = json.loads(block)
    for version in VERSIONS:
        assert version in PAGE
        made = await deployment.send(f"/knowledgesources('handbook')?api-version={version}", definition, method="PUT")
        assert made.status in {200, 201}
        assert said(made.json) == definition


def test_the_page_has_the_numbers_and_names_of_the_code() -> None:
    assert exchange.LARGEST == 4 * 2**20 and "4 MiB" in PAGE
    assert f"{output.PAGE:,} characters" in PAGE
    assert f"{RANKED_PER_SUBQUERY} documents" in PAGE
    assert f"`{tool_calls.PROMPT}`" in PAGE
    assert all(f"`{kind}`" in PAGE for kind in WAYS_OUT)
