"""Knowledge bases, api-version 2026-11-01-preview. The version is provisional, because its specification is not public.

Until the specification is public, this version has the members of 2026-08-01-preview, and events in the order of
2026-10-01. Models of another kind than `azureOpenAI` are refused. The names of the members for graphs are not known. A
member of the body with `graph` in its name is ignored if its value is null, and refused otherwise.
"""

from collections.abc import Mapping
from typing import Final

from pydantic import model_validator

from retrieval.contracts.azure.kinds.table import COMMON, served
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.retrieve.requests import Defaults
from retrieval.contracts.azure.retrieve.responses import Types
from retrieval.contracts.azure.version import Version


class WithoutGraphs(Wire):
    @model_validator(mode="before")
    @classmethod
    def _without_empty_graphs(cls, body: object) -> object:
        if not isinstance(body, Mapping):
            return body
        return {name: value for name, value in body.items() if value is not None or "graph" not in name.lower()}


VERSION: Final = Version(
    name="2026-11-01-preview",
    kinds=served(*COMMON, "mcpServer"),
    defaults=Defaults(
        # None, as in the versions before it.
        threshold=0.0,
    ),
    types=Types(cites=True),
    answer_first=True,
    paged=True,
    request_base=WithoutGraphs,
)
