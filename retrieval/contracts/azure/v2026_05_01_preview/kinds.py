"""The kinds of knowledge sources in api-version 2026-05-01-preview."""

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "searchIndex",
    "modelStudioBase",
    "mcpServer",
    "azureBlob",
    "indexedSharePoint",
    "indexedOneLake",
    "indexedSql",
    "file",
]
