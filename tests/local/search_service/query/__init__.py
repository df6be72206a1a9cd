"""Tests of `retrieval/local/search_service/query`.

Modules without a file of their own here, and the file that holds their tests:

- lucene_regex: local/search_service/query/test_lucene.py
- lucene_words: local/search_service/query/test_lucene.py
- luqum_parser: local/search_service/query/test_lucene.py
- matching: local/search_service/query/test_options.py
- projection: local/search_service/query/test_options.py
- scoring_parameters: local/search_service/engine/test_scoring.py
- stacked_queries: local/search_service/text/lexical/test_searching.py
- synonym_queries: local/search_service/text/test_synonyms.py
- syntax: local/search_service/query/test_lucene.py
- tree: local/search_service/query/test_simple.py
"""
