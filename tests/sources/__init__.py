"""Tests of `retrieval/sources`.

Modules without a file of their own here, and the file that holds their tests:

- room: scenarios/federation/test_federation.py
- search_index/definition: answer/test_answers_filters.py
- search_index/definition_cache: scenarios/indexes/test_changes.py
- search_index/failures: scenarios/failures/test_subqueries.py
- search_index/index: scenarios/failures/test_published_index.py
- search_index/over_aiohttp: scenarios/failures/test_subqueries.py
- search_index/query: scenarios/failures/test_accounting.py
"""
