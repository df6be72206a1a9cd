"""Knowledge bases, api-version 2026-10-01: retrieve, and definitions.

- `request`: The request into the hub
- `response`: The answer out of the hub
- `definitions`: The definitions, and those of knowledge sources
- `events`: The answer as server-sent events
"""

from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.azure.v2026_10_01.request import parse
from retrieval.contracts.azure.v2026_10_01.response import render

__all__ = ["parse", "render", "render_error"]
