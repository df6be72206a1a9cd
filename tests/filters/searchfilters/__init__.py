"""Tests of `retrieval/filters/searchfilters`.

Modules without a file of their own here, and the file that holds their tests:

- constants: filters/searchfilters/test_read.py
- reader: filters/searchfilters/test_read.py
- writer: filters/searchfilters/test_read.py
"""
