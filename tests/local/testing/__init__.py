"""Tests of `retrieval/local/testing`.

- composed: local/testing/test_services.py
- running: local/testing/test_services.py
"""
