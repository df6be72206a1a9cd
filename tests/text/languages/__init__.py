"""Tests of `retrieval/text/languages`.

- known: text/languages/test_language.py
"""
