"""This service in OpenAPI 3.1: what `GET openapi.json` answers, out of the table of routes and the contracts' models.

`routes` says of each route what it takes and gives, `document` puts it together. `python -m retrieval.openapi` prints
it; docs/openapi.json is a copy.

- `definitions`: The routes of knowledge bases and knowledge sources
- `description`: A route as the document describes it
- `errors`: The envelopes of errors, and what each kind of route can end in
- `examples`: Examples in the document, as README.md and docs/ show them
- `parameters`: The parameters of routes, but for those that a contract's model has
- `schemas`: Schemas of shapes, each under its name, what it consists of under names that begin with it
- `tools`: The route of tools
"""

from retrieval.openapi.document import document

__all__ = ["document"]
