"""Knowledge agents, api-version 2025-05-01-preview: retrieve, and the agent definitions it works by.

- `definitions`: The agent definition
- `request`: The request of retrieve: `POST agents('{name}')/retrieve`, api-version 2025-05-01-preview, into the hub
- `response`: The response of retrieve, api-version 2025-05-01-preview, out of the hub
"""

from retrieval.contracts.azure.errors import render_error
from retrieval.contracts.azure.v2025_05_01_preview.request import parse
from retrieval.contracts.azure.v2025_05_01_preview.response import render

__all__ = ["parse", "render", "render_error"]
