"""Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`.

`read` takes the parameters from the query string or the body, `parse` makes a request for a published index of them.

- `address`: How a call of Retrieve, 2023-12-29, is addressed: its path, its action and version, the tokens beside a
  signature
- `errors`: The error envelope of Model Studio, and for each error the status and code that are documented for its kind
- `locations`: Reads parameters from the query string, or from a body, which is JSON or a form
- `request`: Makes a retrieval request of the parameters of Retrieve, for the index that the call names
- `response`: The response of Retrieve, 2023-12-29: chunks with a text, a falling score and metadata
"""

from retrieval.contracts.model_studio.address import check_action, is_meant_empty, paths, resembles
from retrieval.contracts.model_studio.errors import render_error
from retrieval.contracts.model_studio.parameters import read
from retrieval.contracts.model_studio.request import parse
from retrieval.contracts.model_studio.response import render

__all__ = [
    "check_action",
    "is_meant_empty",
    "parse",
    "paths",
    "read",
    "render",
    "render_error",
    "resembles",
]
