"""The answer workflow, `POST agents/{name}/answer`: one request, and its answer in two forms. It has no versions.

The contract is ours. With `?detail=workflow` the answer has the six payloads of the Foundry workflow that it replaces.
"""

from retrieval.contracts.foundry.request import Detail, detail, parse
from retrieval.contracts.foundry.response import render

__all__ = ["Detail", "detail", "parse", "render"]
