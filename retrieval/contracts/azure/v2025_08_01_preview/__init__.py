"""Knowledge agents over knowledge sources, api-version 2025-08-01-preview: retrieve, and definitions.

- `request`: The request into the hub
- `response`: The answer out of the hub
- `definitions`: The definitions, and those of knowledge sources
"""

from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.azure.v2025_08_01_preview.request import parse
from retrieval.contracts.azure.v2025_08_01_preview.response import render

__all__ = ["parse", "render", "render_error"]
