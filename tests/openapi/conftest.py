"""The tools that strangers read the document with, each in one version."""

from pathlib import Path

import pytest

from tests.environments import needs_node
from tests.third_parties import openapi_tools


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder whose `node_modules` has them. Without npm the test is skipped, with the reason, or fails in CI."""
    needs_node()
    return openapi_tools()
