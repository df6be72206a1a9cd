"""Azure AI Search.

- `index`: searches indexes, with one query for each sub-query
- `body`: the request body of a search
- `client`: the SDK's client, with the policies that a search needs
- `failures`: turns failures of the service into the errors of `retrieval.errors`
- `page`: reads the hits of an answer
- `facets`: the facet values of an index
- `definition`: reads the fields and their roles from an index definition
- `definition_cache`: keeps the definitions of indexes, and reads them again
- `over_aiohttp`: sends the requests of the SDK's client
"""
