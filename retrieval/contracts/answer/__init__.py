"""The contract of `POST agents/{name}/answer`, the answer workflow: one request, and two forms of the answer. The
contract has no versions.

This project defines the contract. With `?detail=workflow` the answer has the six payloads of the Foundry workflow that
this route replaces.

- `description`: What the contract says of its route for the OpenAPI document
- `events`: Progress of an answer as server-sent events
- `explained`: The explanation of an answer: the documents that the searches found, and whether each became a chunk
- `request`: Turns a body into a retrieval request
- `response`: The typed form of the answer. Many members have the same names as in the workflow's six payloads
- `shapes`: What the forms of the answer and its events share: the base class of their shapes, the JSON encoder, and the
  records of steps and rounds
- `workflow`: The form with the six payloads of the workflow
"""

from retrieval.contracts.answer.request import Detail, detail, parse
from retrieval.contracts.answer.response import render

__all__ = ["Detail", "detail", "parse", "render"]
