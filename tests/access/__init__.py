"""Tests of `retrieval/access`.

Modules without a file of their own here, and the file that holds their tests:

- credentials: access/test_rights.py
- entra: access/test_tokens.py
- allowed_models: access/test_what_is_told.py
"""
