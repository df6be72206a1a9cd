"""The OpenAPI 3.1 document of this service, built from the routes and from the models of the contracts. `make written`
writes it: docs/openapi.json is for readers, and `GET openapi.json` returns the file in `retrieval/http/`.

`routes` has the description of each route. `document` builds the document from the descriptions.

- `definitions`: The routes of agents, knowledge bases and knowledge sources
- `description`: The description of a route
- `errors`: The error envelopes, and the errors that each kind of route can answer
- `examples`: The examples in the document
- `monitoring`: The routes about this service itself, and the doctor
- `parameters`: The parameters of routes that are not members of a request's shape
- `retrieve`: The routes of retrieve, and the route of answers
- `schemas`: The schemas of shapes, by name
- `mcp`: The routes of MCP
- `versions`: The requests and answers of routes in each api-version
"""

from tools.openapi.document import document, without_white_space

__all__ = ["document", "without_white_space"]
