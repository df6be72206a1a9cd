"""A local Azure AI Search: its REST API over an in-process index, deterministic; it needs the extra `local`.

    api          the operations: routes, keys, requests and responses
    definitions  what an index definition may say, checked
    query        the syntaxes of a search, and its options
    text         analyzers
    engine       one index, its documents, and the engines that are kept in step with them
    features     facets, highlights, captions, suggestions
    models       local replacements for embedding models and for the semantic ranker
    bodies  errors  problems  request_line    what all of these share

Imports run in this order: api, features, engine, models and query, definitions, text, the shared ones. What is not
implemented is refused by name (`UnsupportedByLocalSearch`), never ignored.
"""

from retrieval.local.search_service.api.service import SearchService

__all__ = ["SearchService"]
