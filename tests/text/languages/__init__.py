"""Tests of `retrieval/text/languages`.

- de: text/languages/test_language.py
- en: text/languages/test_language.py
- es: text/languages/test_language.py
- fr: text/languages/test_language.py
- zh: text/languages/test_language.py
"""
