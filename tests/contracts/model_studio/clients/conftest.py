"""Ways of asking that are tried in `make test-all` alone, as those of other clients."""

from tests.clients.conftest import pytest_collection_modifyitems

__all__ = ["pytest_collection_modifyitems"]
