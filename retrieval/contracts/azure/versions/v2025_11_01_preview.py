"""Knowledge bases, api-version 2025-11-01-preview.

This version has no limit of documents. It ignores a limit that a later version has stored. Source: the models of
azure-search-documents 11.7.0b2.
"""

from typing import Final

from retrieval.contracts.azure.kinds.table import served
from retrieval.contracts.azure.retrieve.requests import Defaults
from retrieval.contracts.azure.retrieve.responses import Types
from retrieval.contracts.azure.version import Version

VERSION: Final = Version(
    name="2025-11-01-preview",
    kinds=served("searchIndex", "modelStudioBase", "azureBlob", "indexedSharePoint", "indexedOneLake"),
    defaults=Defaults(
        # Of nine real answers of this version and the last where nobody set a threshold, the lowest score is 1.91.
        threshold=1.9,
        unknown=("max_documents",),
    ),
    types=Types(digits=3),
)
