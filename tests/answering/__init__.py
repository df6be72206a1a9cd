"""Tests of `retrieval/answering`.

Modules without a file of their own here, and the file that holds their tests:

- retrieve: scenarios/sources/test_sources.py
"""
