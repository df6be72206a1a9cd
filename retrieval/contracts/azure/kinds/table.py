"""The kinds of knowledge sources by name, with one row for each kind."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from retrieval.contracts.azure.kinds.azure_blob import AZURE_BLOB
from retrieval.contracts.azure.kinds.ingested import INGESTED
from retrieval.contracts.azure.kinds.kind import Kind
from retrieval.contracts.azure.kinds.mcp_server import MCP_SERVER
from retrieval.contracts.azure.kinds.model_studio_base import MODEL_STUDIO_BASE
from retrieval.contracts.azure.kinds.search_index import SEARCH_INDEX
from retrieval.model.definitions import SourceKind

KINDS: Final[Mapping[SourceKind, Kind]] = MappingProxyType(
    {
        "searchIndex": SEARCH_INDEX,
        "modelStudioBase": MODEL_STUDIO_BASE,
        "mcpServer": MCP_SERVER,
        "azureBlob": AZURE_BLOB,
        "indexedSharePoint": INGESTED,
        "indexedOneLake": INGESTED,
        "indexedSql": INGESTED,
        "file": INGESTED,
    }
)
