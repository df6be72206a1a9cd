"""The OpenAPI 3.1 document of this service, which `GET openapi.json` returns. It is built from the routes and the
models of the contracts.

`routes` has the description of each route. `document` builds the document from the descriptions. docs/openapi.json is a
copy of the document.

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

from retrieval.openapi.document import document

__all__ = ["document"]
