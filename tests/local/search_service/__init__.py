"""Tests of `retrieval/local/search_service`.

Modules without a file of their own here, and the file that holds their tests:

- bodies: local/search_service/api/test_management.py
- errors: local/search_service/test_documentation.py
- problems: local/search_service/test_documentation.py
- request_line: local/search_service/test_documentation.py
"""
