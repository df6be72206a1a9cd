"""The operations of the local search service.

- `access`: Who may do what: admin keys everything, query keys and a data reader only what reads documents
- `get_search`: A search by GET: the query string as the body that POST would have
- `listing`: A list of definitions, as much of it as the query asks for
- `management`: The operations on synonym maps and aliases, which differ only in their contents
- `paging`: What follows a page: the same request with another `skip`, for POST as parameters and a link, for GET as a
  link
- `preparing`: What a request needs of a model, asked for before its turn
- `reranking`: What the semantic ranker is given of a search
- `responses`: What goes back: JSON as the REST API spells it
- `routes`: The request line: which operation a path and its query name
- `scripted`: What a request may say to have a part of the service fail; `retrieval.local.faults` says it
- `searching`: One search: text ranking, filter, semantic ranking, page
- `service`: The service: a WireRequest in, a WireResponse out
- `versions`: The api-versions that are served
"""
