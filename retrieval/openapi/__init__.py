"""This service in OpenAPI 3.1: what `GET openapi.json` answers, out of the table of routes and the contracts' models.

`routes` says of each route what it takes and gives, `document` puts it together. `python -m retrieval.openapi` prints
it; docs/openapi.json is a copy.
"""

from retrieval.openapi.document import document

__all__ = ["document"]
