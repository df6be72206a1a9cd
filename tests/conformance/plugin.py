"""A pytest plugin for the run of Microsoft's tests. It changes what is around them, not what they check.

- They wait for a service that is consistent in the end; the local one is consistent at once, so the waits are zero.
- No name but this machine's is resolved.
- Tests that Microsoft skips because its service lacks something that the local one has are run (`RUN_ANYWAY`).
- With CONFORMANCE_IN_PROCESS=1, azure-core's default transports are those that call a service in this process.
"""

import os
import socket
from typing import Any, Final

import pytest

RUN_ANYWAY: Final = ("test_search_index_client_alias_live",)


def pytest_configure(config: pytest.Config) -> None:
    _stay_on_this_machine()
    if os.environ.get("CONFORMANCE_IN_PROCESS") == "1":
        _stay_in_process()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    import search_service_preparer  # type: ignore[import-not-found]  # one of the downloaded files

    search_service_preparer.TIME_TO_SLEEP = 0
    for item in items:
        if isinstance(item, pytest.Function) and "TIME_TO_SLEEP" in vars(item.module):
            item.module.TIME_TO_SLEEP = 0
        if item.path.stem.startswith(RUN_ANYWAY):
            item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "skip"]


def _stay_on_this_machine() -> None:
    """Some offline tests try addresses like `https://endpoint`: such a name has no address, and nobody is asked."""
    resolve = socket.getaddrinfo

    def resolve_here(host: Any, *arguments: Any, **options: Any) -> Any:
        if host not in ("127.0.0.1", "localhost", "::1"):
            raise socket.gaierror(socket.EAI_NONAME, f"{host} is not on this machine")
        return resolve(host, *arguments, **options)

    vars(socket)["getaddrinfo"] = resolve_here


def _stay_in_process() -> None:
    from azure.core.pipeline.transport import _aiohttp, _requests_basic

    from retrieval.local.search_service import SearchService
    from retrieval.local.transport import AsyncInProcessTransport, InProcessTransport

    service = SearchService()

    def sync_transport(**options: Any) -> InProcessTransport:
        return InProcessTransport(service)

    def async_transport(**options: Any) -> AsyncInProcessTransport:
        return AsyncInProcessTransport(service)

    vars(_requests_basic)["RequestsTransport"] = sync_transport
    vars(_aiohttp)["AioHttpTransport"] = async_transport
