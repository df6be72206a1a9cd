"""Tests of `retrieval/definitions`.

Modules without a file of their own here, and the file that holds their tests:

- document: definitions/test_file_store.py
- seeded_store: definitions/test_cache.py
- source_store: http/test_definitions.py
- table_store: definitions/test_stores.py
"""
