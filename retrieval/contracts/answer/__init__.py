"""The answer workflow, `POST agents/{name}/answer`: one request, and its answer in two forms. It has no versions.

The contract is ours. With `?detail=workflow` the answer has the six payloads of the Foundry workflow that it replaces.

- `activity`: What a call did, step by step and round by round, and what it came to
- `response`: The answer out of the hub: the typed form, with what the original's six payloads say under the same
  names
- `shapes`: What both forms of the answer are made of: strict shapes, their bytes, and the chunks by their ids
"""

from retrieval.contracts.answer.request import Detail, detail, parse
from retrieval.contracts.answer.response import render

__all__ = ["Detail", "detail", "parse", "render"]
