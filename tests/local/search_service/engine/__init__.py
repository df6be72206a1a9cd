"""Tests of `retrieval/local/search_service/engine`.

Modules without a file of their own here, and the file that holds their tests:

- catalog: local/search_service/engine/test_store.py
- columns: local/search_service/engine/test_pushdown.py
- compiling: local/search_service/engine/test_scoring.py
- filters: local/search_service/engine/test_filter_searches.py
- index: local/search_service/engine/test_vectors.py
- ordering: local/search_service/query/test_options.py
- recall: local/search_service/engine/test_scoring.py
- scoring_functions: local/search_service/engine/test_scoring.py
- scoring_values: local/search_service/engine/test_scoring.py
- suggestion_index: local/search_service/features/test_suggestions.py
- text_index: local/search_service/engine/test_searching.py
- vector_fields: local/search_service/engine/test_vector_scores.py
- vector_search: local/search_service/engine/test_vectors.py
- versioned: local/search_service/engine/test_store.py
- writing: local/search_service/engine/test_documents.py
"""
