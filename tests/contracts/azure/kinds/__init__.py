"""Tests of `retrieval/contracts/azure/kinds`.

Modules without a file of their own here, and the file that holds their tests:

- kind: http/test_kinds.py
- table: http/test_kinds.py
"""
