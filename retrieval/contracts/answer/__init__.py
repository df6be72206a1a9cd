"""The answer workflow, `POST agents/{name}/answer`: one request, and its answer in two forms. It has no versions.

The contract is ours. With `?detail=workflow` the answer has the six payloads of the Foundry workflow that it replaces.

- `activity`: The steps and rounds of a call, and their totals
- `events`: An answer as server-sent events, while it is made
- `explained`: Every document that was found, and why it stands where it does
- `prompts`: What the models of an answer were asked, for callers who may read the definitions
- `response`: The typed form of the answer. It has the content of the original's six payloads under the same names
- `shapes`: The parts of both forms of the answer: strict shapes, their bytes, and the chunks by their ids
"""

from retrieval.contracts.answer.request import Detail, detail, parse
from retrieval.contracts.answer.response import render

__all__ = ["Detail", "detail", "parse", "render"]
