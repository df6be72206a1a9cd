"""This service in OpenAPI 3.1, as `GET openapi.json` answers it, built from the routes and the contracts' models.

`routes` describes the request and the answers of each route, `document` builds the document from them.
`python -m retrieval.openapi` prints it; docs/openapi.json is a copy.

- `definitions`: The routes of agents, knowledge bases and knowledge sources
- `description`: A route as the document describes it
- `errors`: The envelopes of errors, and the errors that each kind of route can answer
- `examples`: Examples in the document, as README.md and docs/ show them
- `monitoring`: What everybody may ask of this service about itself, and the doctor
- `parameters`: The parameters of routes, except those in a contract's model
- `retrieve`: Retrieve, of agents and knowledge bases, and of Model Studio; and answers
- `schemas`: Schemas of shapes, each under its name; the names of its parts begin with that name
- `tools`: The routes of MCP
- `versions`: What routes take and answer in each api-version
"""

from retrieval.openapi.document import document

__all__ = ["document"]
