"""A local Azure AI Search: its REST API over an in-process index, deterministic; it needs the extra `local`.

    service      SearchService: the operations          routes   access   bodies   answers
    catalog      the indexes      index       one index and its documents      definition   documents   writing
    options      what a search may say                  searching   from request to page     selection   $filter
    query        what a query syntax is read into       simple_query
    analysis     text to terms    text_index  BM25 on tantivy                  semantic     lexical-v1

What is not implemented is refused by name (`UnsupportedByLocalSearch`), never ignored.
"""

from retrieval.local.search_service.service import SearchService

__all__ = ["SearchService"]
