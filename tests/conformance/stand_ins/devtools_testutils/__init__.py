"""What Microsoft's search tests use of the unpublished package of this name, for a service that is always live.

Nothing is recorded, so there is no proxy and nothing to sanitize. The endpoint is that of SEARCH_ENDPOINT.
"""

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from azure.core.credentials import AzureKeyCredential


class AzureTestError(Exception):
    """What the tests could not set up."""


class AzureRecordedTestCase:
    """The base of their test classes."""

    is_live = True

    def get_resource_name(self, prefix: str) -> str:
        return f"{prefix}-local"


def get_credential(**options: object) -> AzureKeyCredential:
    return AzureKeyCredential(os.environ["SEARCH_API_KEY"])


def trim_kwargs_from_test_function(function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Takes out of `given` what `function` has no parameter for."""
    parameters = inspect.signature(function, follow_wrapped=False).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for name in given.keys() - parameters.keys():
            del given[name]


class EnvironmentVariableLoader:
    """A decorator that gives a test the values of its settings, as arguments."""

    def __init__(self, directory: str, **values: str) -> None:
        endpoint = os.environ["SEARCH_ENDPOINT"]
        self._values: Mapping[str, str] = {
            **values,
            "search_service_endpoint": endpoint,
            "search_service_name": "local",
        }

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        given = dict(self._values)
        trim_kwargs_from_test_function(function, given)

        def test(case: object) -> Any:
            return function(case, **given)

        async def async_test(case: object) -> Any:
            return await function(case, **given)

        chosen: Callable[..., Any] = async_test if inspect.iscoroutinefunction(function) else test
        functools.update_wrapper(chosen, function)
        del chosen.__wrapped__  # type: ignore[attr-defined]  # pytest would ask for the inner function's arguments
        return chosen


def recorded_by_proxy(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


@pytest.fixture(scope="session")
def test_proxy() -> None:
    """No proxy."""


def remove_batch_sanitizers(names: object) -> None:
    """No sanitizers."""
