"""Knowledge bases, api-version 2026-05-01-preview. Source: the models of azure-search-documents 12.1.0b1."""

from typing import Final

from retrieval.contracts.azure.kinds.table import COMMON, served
from retrieval.contracts.azure.retrieve.requests import Defaults
from retrieval.contracts.azure.version import Version

VERSION: Final = Version(
    name="2026-05-01-preview",
    kinds=served(*COMMON, "mcpServer"),
    defaults=Defaults(
        # In a real answer where nobody set a threshold, every document came back, the lowest with a score of 0.4957.
        threshold=0.0,
    ),
)
