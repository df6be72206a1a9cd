"""The functions over a scripted Azure with an SDK that remembers what they tell, as a deployment has them."""

from tests.scenarios.failures.conftest import pytest_asyncio_loop_factories, retrieve, settings
from tests.telemetry.conftest import told

__all__ = ["pytest_asyncio_loop_factories", "retrieve", "settings", "told"]
