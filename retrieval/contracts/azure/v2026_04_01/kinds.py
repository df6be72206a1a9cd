"""The kinds of knowledge sources in api-version 2026-04-01."""

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["searchIndex", "modelStudioBase", "azureBlob", "indexedOneLake"]
