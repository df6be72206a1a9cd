"""Tests of `retrieval/local/documents`.

Modules without a file of their own here, and the file that holds their tests:

- azure_index: local/documents/test_loading.py
- command: local/documents/test_loading.py
- converters: local/documents/test_reading.py
- embeddings: local/documents/test_loading.py
- markup: local/documents/test_reading.py
- office: local/documents/test_reading.py
- parts: local/documents/test_reading.py
- records: local/documents/test_reading.py
- summary: local/documents/test_reading.py
- tables: local/documents/test_reading.py
"""
