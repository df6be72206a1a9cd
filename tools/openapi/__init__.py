"""The OpenAPI 3.1 document of this service, built from the routes and from the models of the contracts. `make written`
writes it: docs/openapi.json is for readers, and `GET openapi.json` returns the file in `retrieval/http/`.

A folder of `retrieval` describes its own routes in `description.py`, in the words of `retrieval.contracts.described`.
`routes` has the description of each route. `document` builds the document from the descriptions.

- `definitions`: The routes of agents, knowledge bases and knowledge sources
- `errors`: The sentences about errors, and the statuses of a route's errors
- `examples`: The examples of the routes that are described here
- `monitoring`: The routes about this service itself
- `parameters`: The parameters of the routes that are described here
- `retrieve`: The routes of retrieve for agents and knowledge bases
- `schemas`: The schemas of shapes, by name
- `versions`: The requests and answers of routes in each api-version
"""

from tools.openapi.document import document, without_white_space

__all__ = ["document", "without_white_space"]
