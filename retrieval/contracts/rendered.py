"""What a contract renders: status, headers and bytes, before any web framework."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """An answer on its way out. `body` is UTF-8 JSON."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
