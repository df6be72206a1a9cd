"""The kinds of knowledge sources that are the same since 2026-08-01-preview, in previews."""

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
