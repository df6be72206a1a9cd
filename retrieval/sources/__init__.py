"""What can be searched. Each kind of source has a folder. A kind that is no index of the search service has a row in
`ROOMS`.

- `search_index`: Azure AI Search
- `model_studio`: Alibaba Cloud Model Studio
- `mcp_server`: tools of MCP servers
- `room`: what a deployment has of a kind, and all kinds as one `SearchIndex`
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, get_args

from retrieval.model.definitions import IngestedKind

ROOMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "modelStudioBase": "model_studio",
        "mcpServer": "mcp_server",
    }
)
"""The folder of each kind of knowledge source that is no index of the search service."""

KINDS: Final = ("searchIndex", *ROOMS, *get_args(IngestedKind))
"""The kinds of knowledge sources that are served."""
