"""The contracts that callers speak, in a table: the way in from bytes to the hub, and the way out.

A contract is a module with `parse`, `render` and `render_error`. A key that is not in the table is the version gate; a
new version is one more row and one more module, which imports no other version's.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from retrieval.contracts.azure import v2025_05_01_preview
from retrieval.contracts.rendered import Rendered
from retrieval.errors import RetrievalError, UnsupportedVersion
from retrieval.model import Agent, Outcome, RetrievalRequest


class Contract(Protocol):
    """One version of one contract."""

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """The request in hub terms, defaults filled in from the agent and the contract. Raises BadRequest."""

    def render(self, outcome: Outcome) -> Rendered:
        """The answer to a retrieval."""

    def render_error(self, error: RetrievalError) -> Rendered:
        """The answer that says what went wrong, in the contract's own envelope."""


CONTRACTS: Final[Mapping[tuple[str, str], Contract]] = MappingProxyType(
    {
        ("agents", "2025-05-01-preview"): v2025_05_01_preview,
    }
)


def contract(route: str, version: str | None) -> Contract:
    """The contract of a route in a version, compared without case. Raises UnsupportedVersion."""
    found = CONTRACTS.get((route, (version or "").lower()))
    if found is None:
        raise UnsupportedVersion(version, sorted(known for name, known in CONTRACTS if name == route))
    return found
