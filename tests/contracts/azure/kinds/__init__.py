"""Tests of `retrieval/contracts/azure/kinds`.

Modules without a file of their own here, and the file that holds their tests:

- azure_blob: http/test_kinds.py
- file: http/test_kinds.py
- indexed_one_lake: http/test_kinds.py
- indexed_share_point: http/test_kinds.py
- indexed_sql: http/test_kinds.py
- ingested: http/test_kinds.py
- ingestion_shapes: http/test_kinds.py
- kind: http/test_kinds.py
- search_index: http/test_definitions.py
- table: http/test_kinds.py
"""
