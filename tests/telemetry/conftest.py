"""The functions over a scripted Azure and a scripted Model Studio, with an SDK that remembers what they tell."""

from collections.abc import Iterator

import pytest

from tests.scenarios.federation.conftest import (
    base,
    pytest_asyncio_loop_factories,
    retrieve,
    studio,
)
from tests.scenarios.federation.conftest import settings as federated
from tests.telemetry.recording import Recording, recording

__all__ = ["base", "federated", "pytest_asyncio_loop_factories", "retrieve", "studio"]


@pytest.fixture
def settings(federated: dict[str, str]) -> dict[str, str]:
    """Each step is a span of its own, unless a test asks for summaries."""
    return {**federated, "TRACE_STEPS": "1"}


@pytest.fixture
def told() -> Iterator[Recording]:
    """The telemetry since the beginning of the test."""
    with recording() as found:
        yield found
