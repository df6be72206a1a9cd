"""Tests of `retrieval/local/search_service/features`.

Modules without a file of their own here, and the file that holds their tests:

- additions: local/search_service/features/test_captions.py
- completing: local/search_service/features/test_suggestions.py
- facet_intervals: local/search_service/query/test_options.py
- facets: local/search_service/query/test_options.py
- highlights: local/search_service/query/test_options.py
- suggest_options: local/search_service/features/test_suggestions.py
- suggesting: local/search_service/features/test_suggestions.py
"""
