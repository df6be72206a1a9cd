"""Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`.

`read` reads the parameters from the query string and the body. `parse` turns them into a retrieval request for a
published index.

- `address`: The address of a call of Retrieve: its path, and the headers that name the action and the version
- `description`: What the contract says of its route for the OpenAPI document
- `errors`: The error envelope of Model Studio, and the documented status and code of each error
- `locations`: Reads parameters from the query string, and from a JSON body or a form
- `parameters`: The parameters of Retrieve, with their limits
- `request`: Turns the parameters of Retrieve into a retrieval request for the index that the call names
- `response`: The response of Retrieve, 2023-12-29: chunks with a text, a score and metadata, the highest score first
"""

from retrieval.contracts.model_studio.address import check_action, check_body_hash, is_meant_empty, paths, resembles
from retrieval.contracts.model_studio.errors import render_error
from retrieval.contracts.model_studio.parameters import read
from retrieval.contracts.model_studio.request import parse
from retrieval.contracts.model_studio.response import render

__all__ = [
    "check_action",
    "check_body_hash",
    "is_meant_empty",
    "parse",
    "paths",
    "read",
    "render",
    "render_error",
    "resembles",
]
