"""Azure AI Search.

- `index`: searches indexes, with one query for each sub-query, by the SDK's client
- `query`: the request body of a search, and the hits of its answer
- `failures`: turns failures of the service into the errors of `retrieval.errors`
- `definition`: reads the fields and their roles from an index definition
- `definition_cache`: keeps the definitions of indexes and the values of their facets, and reads them again
- `over_aiohttp`: sends the requests of the SDK's client
"""
