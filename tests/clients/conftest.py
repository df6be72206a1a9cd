"""Which ways of asking are tried in `make test-all` alone."""

from collections.abc import Sequence
from typing import Final

import pytest

SELDOM: Final = frozenset({"in process", "python 1.11.2 sync", "python 1.11.2 async", "node", "java"})


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        given = getattr(item, "callspec", None)
        if given is not None and given.params.get("way") in SELDOM:
            item.add_marker(pytest.mark.slow)
