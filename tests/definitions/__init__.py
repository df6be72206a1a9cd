"""Tests of `retrieval/definitions`.

Modules without a file of their own here, and the file that holds their tests:

- binding: definitions/test_lost_sources.py
- document: definitions/test_file_store.py
- memory_store: definitions/test_stores.py
- seeded_store: definitions/test_cache.py
- source_store: http/test_definitions.py
- table_store: definitions/test_stores.py
"""
