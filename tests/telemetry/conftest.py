"""The functions over a scripted Azure and a scripted Model Studio, with an SDK that remembers what they tell."""

from collections.abc import Iterator

import pytest

from tests.scenarios.federation.conftest import (
    azure,
    base,
    pytest_asyncio_loop_factories,
    retrieve,
    settings,
    studio,
)
from tests.telemetry.recording import Recording, recording

__all__ = ["azure", "base", "pytest_asyncio_loop_factories", "retrieve", "settings", "studio"]


@pytest.fixture
def told() -> Iterator[Recording]:
    """The telemetry since the beginning of the test."""
    with recording() as found:
        yield found
