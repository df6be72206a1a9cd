"""Tests of `retrieval/definitions`.

Modules without a file of their own here, and the file that holds their tests:

- stored_json: definitions/test_file_store.py
- seeded_store: definitions/test_cache.py
- agents_and_sources: http/test_definitions.py
- bound_sources: http/test_definitions.py
- table_store: definitions/test_stores.py
"""
