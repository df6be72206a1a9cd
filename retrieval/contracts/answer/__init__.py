"""The contract of `POST agents/{name}/answer`, the answer workflow: one request, and two forms of the answer. The
contract has no versions.

This project defines the contract. With `?detail=workflow` the answer has the six payloads of the Foundry workflow that
this route replaces.

- `activity`: The steps and rounds of a call, and their totals
- `events`: Progress of an answer as server-sent events
- `explained`: Every document that was found, and why models read it or did not read it
- `prompts`: The prompts that were sent to models for an answer, for callers who may read the definitions
- `response`: The typed form of the answer. It has the content of the workflow's six payloads under the same names
- `shapes`: The code that both forms of the answer share: the base class of their shapes, the JSON encoder, and helpers
"""

from retrieval.contracts.answer.request import Detail, detail, parse
from retrieval.contracts.answer.response import render

__all__ = ["Detail", "detail", "parse", "render"]
