"""Tests of `retrieval/text/languages`.

- de: text/languages/test_language.py
- en: text/languages/test_language.py
- es: text/languages/test_language.py
- fr: text/languages/test_language.py
- it: text/languages/test_language.py
- ja: text/languages/test_language.py
- ko: text/languages/test_language.py
- pt: text/languages/test_language.py
- zh: text/languages/test_language.py
"""
