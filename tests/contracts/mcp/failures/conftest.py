"""The deployment and the clock of `tests/scenarios/failures`."""

from tests.scenarios.failures.conftest import pytest_asyncio_loop_factories, settings, tools

__all__ = ["pytest_asyncio_loop_factories", "settings", "tools"]
