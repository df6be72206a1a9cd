"""A local Azure AI Search: its REST API over an in-process index, deterministic; it needs the extra `local`.

    service      SearchService: the operations          routes   access   bodies   answers
    catalog      what it holds    shelf       the resources of one kind   store       SQLite       aliases   resources
    index        one index and its documents      definition   documents   writing       updates   profiles
    synonyms     rules            synonym_queries     what they make of a search
    suggesters   suggestion_index        suggesting   completing   suggest_options       scripted     faults on request
    options      what a search may say                  get_search   the same by GET
    searching    from request to page                   paging       what follows it
    selection    $filter          filter_searches       full-text searches within it
    query        what a query syntax is read into       syntax       simple_query   lucene_query   lucene_words
                                                        lucene_regex
    analysis     the analyzers by name                  analyzer     cjk   french   analyzing (search.analyze)
    text_index   BM25 on tantivy                        compiling    a query as tantivy runs it
    ordering     $orderby         additions             facets   facet_intervals   highlights   matching   passages
    semantic     lexical-v1       captions              captions and answers
    fields       types, sub-fields, vectors              paths    values at a path            projection  $select
    columns      filterable fields in the text engine    pushdown    what of a $filter it answers
    vectors      exact neighbours    vector_search  vectorQueries    vector_definition  vector_fields
    vectorize    hashed-v1: text to a vector             fusion      reciprocal rank fusion

What is not implemented is refused by name (`UnsupportedByLocalSearch`), never ignored.
"""

from retrieval.local.search_service.service import SearchService

__all__ = ["SearchService"]
