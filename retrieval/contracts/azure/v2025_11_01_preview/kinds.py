"""The kinds of knowledge sources in api-version 2025-11-01-preview."""

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["searchIndex", "modelStudioBase", "azureBlob", "indexedSharePoint", "indexedOneLake"]
