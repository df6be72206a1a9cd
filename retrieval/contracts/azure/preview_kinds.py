"""The kinds of knowledge sources that every preview since 2026-08-01-preview has."""

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
