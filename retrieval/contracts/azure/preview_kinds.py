"""The kinds of knowledge sources of every preview since 2026-08-01-preview."""

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
