"""One index, its documents, and the engines that are kept in step with them.

- `catalog`: What one service holds: indexes, synonym maps and aliases, in memory and, with a store, on disk
- `columns`: Filterable fields as columns of the text engine, so that it can answer a `$filter` itself
- `compiling`: A query as tantivy runs it: leaves analysed field by field, one tantivy query for each field
- `documents`: Documents: what an indexing action may carry, checked against the index before any engine sees it
- `filter_searches`: The full-text searches within one `$filter`: each is run once, and those that score add to a
  document's score
- `filters`: `$filter` over an index: the project's one filter tree, read, bound to the index and made a test of
  documents
- `fusion`: Reciprocal rank fusion: several ranked lists into one
- `index`: One index: its definition, its documents, and the engines that are kept in step with them
- `ordering`: `$orderby`: clauses over sortable fields, `geo.distance` and `search.score()`
- `pushdown`: A `$filter` as a query of the text engine, as far as `columns` can answer it
- `recall`: The results of the parts of one search with vector queries, and their fusion
- `scoring`: Applies a scoring profile to the scores of one search
- `scoring_functions`: Scoring functions, over all the documents of a search at once
- `scoring_values`: What scoring functions read of the documents of one index, kept in columns so that a search need
  not open each
- `store`: Definitions and documents in one SQLite file, so that they outlive the process
- `suggestion_index`: The words of a suggester's fields: which documents have them, and which words begin like another
- `text_index`: BM25 over the searchable fields of one index, on tantivy, in memory
- `vector_fields`: The vector fields of an index: what they keep of a document
- `vector_scores`: What a vector query says about a document: its similarity, its score, and thresholds on either
- `vector_search`: The vector queries of a search: read, resolved against the index, and answered one ranked list a
  query and field
- `vectors`: Vectors of one field, and their exact nearest neighbours
- `versioned`: The resources of one kind by name: indexes, synonym maps or aliases, each with an ETag that changes
  with it
- `writing`: A batch of indexing actions: checked as a whole, then carried out item by item
"""
