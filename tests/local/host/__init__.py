"""Tests of `retrieval/local/host`.

Modules without a file of their own here, and the file that holds their tests:

- bindings: scenarios/failures/test_statuses.py
- engine: scenarios/failures/test_statuses.py
- errors: local/host/test_table.py
- exchange: local/host/test_front.py
- sdk_engine: local/host/test_engines.py
"""
