"""Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`.

`read` takes the parameters from wherever they stand, `parse` gives them their meaning for a published index.
"""

from retrieval.contracts.model_studio.address import BEARER_TOKEN, check_action, paths, resembles
from retrieval.contracts.model_studio.errors import render_error
from retrieval.contracts.model_studio.parameters import read
from retrieval.contracts.model_studio.request import parse
from retrieval.contracts.model_studio.response import render

__all__ = ["BEARER_TOKEN", "check_action", "parse", "paths", "read", "render", "render_error", "resembles"]
