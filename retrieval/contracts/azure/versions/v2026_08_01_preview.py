"""Knowledge bases, api-version 2026-08-01-preview.

Source: the models of azure-search-documents 12.1.0b2. Their references have the `citationUrl` of 2026-10-01. The
specification has an example with it, where the address lacks `allowUnsafeKeys`.
"""

from typing import Final

from retrieval.contracts.azure.kinds.table import COMMON, served
from retrieval.contracts.azure.retrieve.requests import Defaults
from retrieval.contracts.azure.retrieve.responses import Types
from retrieval.contracts.azure.version import Version

VERSION: Final = Version(
    name="2026-08-01-preview",
    kinds=served(*COMMON, "mcpServer"),
    defaults=Defaults(
        # No real answer of this version shows its default, so it has none, as the preview before it.
        threshold=0.0,
    ),
    types=Types(cites=True),
    answer_first=False,
    paged=True,
)
