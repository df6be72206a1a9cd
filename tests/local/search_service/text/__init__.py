"""Tests of `retrieval/local/search_service/text`.

Modules without a file of their own here, and the file that holds their tests:

- analyze: local/search_service/text/test_analyzers.py
- analyzer: local/search_service/text/lexical/test_searching.py
- french: local/search_service/text/test_analysis.py
- german: local/search_service/text/test_analysis.py
- pairs: local/search_service/text/test_analyzers.py
- passages: local/search_service/query/test_options.py
- spanish: local/search_service/text/test_analysis.py
"""
