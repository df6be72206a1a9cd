"""Tests of `retrieval/backends/definitions`.

Modules without a file of their own here, and the file that holds their tests:

- document: backends/definitions/test_file_store.py
- entries: backends/definitions/test_unreadable.py
- binding: backends/definitions/test_lost_sources.py
- source_store: http/test_definitions.py
- seeded: backends/definitions/test_cache.py
- memory: backends/definitions/test_stores.py
- table: backends/definitions/test_stores.py
"""
