"""What a search adds to its documents and around them.

- `additions`: What a search adds to its documents and around them: facets, highlights, captions and answers
- `captions`: Captions and answers of a semantic search: the passages that say most of the query, verbatim but for the
  tags
- `completing`: Completions of the last word typed, ordered by the number of documents that have them
- `debugging`: `debug`: what went into the place of a document, and what was made of the query
- `facet_intervals`: Buckets of facets: the lower end of the interval that a value lies in
- `facets`: Facets: how many of the documents found have which value, or a value in which range
- `highlights`: `highlight`: the passages of a document where the search found something, verbatim but for the tags
- `suggest_options`: What a request for suggestions or completions may say, in a body or in a query
- `suggesting`: Suggestions: documents in which every word typed occurs, the last one perhaps only begun
"""
