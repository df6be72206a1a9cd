"""Tests of `retrieval/telemetry`.

Modules without a file of their own here, and the file that holds their tests:

- log_contents: access/test_what_is_told.py
- names: telemetry/test_docs.py
"""
