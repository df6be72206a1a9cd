"""Without an SDK only the API is loaded, with the first call, and a caller's trace passes through."""

import json
import subprocess
import sys
from typing import Any, Final

import pytest

from tests.running import ROOT
from tests.telemetry.without_sdk import PARENT

TO_SPARE: Final = ("opentelemetry.sdk", "opentelemetry.instrumentation", "opentelemetry.semconv", "azure.monitor")


@pytest.fixture(scope="module")
def happened() -> Any:
    """What a process without an SDK did for two calls, one of them within a trace."""
    return happened_with()


def happened_with(*arguments: str) -> Any:
    command = [sys.executable, "-m", "tests.telemetry.without_sdk", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout.splitlines()[-1])


def test_a_retrieve_is_answered(happened: Any) -> None:
    assert happened["statuses"] == [200, 200]


def test_a_retrieve_is_answered_with_an_sdk_and_no_package_that_instruments_others() -> None:
    assert happened_with("alone")["statuses"] == [200, 200]


def test_importing_the_app_loads_no_telemetry(happened: Any) -> None:
    assert happened["imported_with_the_app"] == []


def test_a_call_loads_the_api_alone(happened: Any) -> None:
    assert "opentelemetry.trace" in happened["loaded"]
    assert [name for name in happened["loaded"] if name.startswith(TO_SPARE)] == []


def test_the_callers_trace_is_passed_on_as_it_came(happened: Any) -> None:
    assert happened["search_headers"] == [None, PARENT]
    assert happened["chat_headers"] == [None, PARENT]
