"""Knowledge bases, api-version 2026-11-01-preview: retrieve, and definitions. Provisional: no specification is public.

- `request`: The request into the hub
- `response`: The answer out of the hub
- `definitions`: The definitions, and those of knowledge sources
- `events`: The answer as server-sent events
"""

from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.azure.v2026_11_01_preview.request import parse
from retrieval.contracts.azure.v2026_11_01_preview.response import render

__all__ = ["parse", "render", "render_error"]
