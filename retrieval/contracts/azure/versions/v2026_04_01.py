"""Knowledge bases, api-version 2026-04-01.

A retrieval always has the effort `minimal` and returns documents. This version has no members for the effort, the
output mode and the limit of documents. It ignores the values that another version has stored. It has no records of
planning and of writing, because it never plans queries or writes an answer. Source: the models of
azure-search-documents 12.0.0, and the examples of the REST specification.
"""

from typing import Final

from retrieval.contracts.azure.kinds.table import served
from retrieval.contracts.azure.retrieve.requests import DROPPING, INTENTS, Defaults
from retrieval.contracts.azure.retrieve.responses import Types
from retrieval.contracts.azure.version import Version

VERSION: Final = Version(
    name="2026-04-01",
    kinds=served("searchIndex", "modelStudioBase", "azureBlob", "indexedOneLake"),
    defaults=Defaults(
        # No real answer of this version shows its default, so it has that of the version before it.
        threshold=1.9,
        effort="minimal",
        runtime=90.0,
        most_queries={},
        no_input=f"Nothing is asked. Send {INTENTS}: 'messages' does not exist in 2026-04-01. {DROPPING}",
        unknown=("effort", "output_mode", "max_documents"),
    ),
    types=Types(planning=None, synthesis=None),
)
