"""Tests of `tools/openapi`.

Modules without a file of their own here, and the file that holds their tests:

- definitions: openapi/test_document.py
- errors: openapi/test_document.py
- examples: openapi/test_retrieve.py
- monitoring: openapi/test_document.py
- parameters: openapi/test_document.py
- retrieve: openapi/test_document.py
- routes: openapi/test_document.py
- schemas: openapi/test_document.py
- versions: openapi/test_document.py
"""
