"""Tests of `retrieval/local/search_service/definitions`.

Modules without a file of their own here, and the file that holds their tests:

- aliases: local/search_service/api/test_management.py
- cors: local/search_service/api/test_management.py
- document: local/search_service/engine/test_documents.py
- fields: local/search_service/definitions/test_complex_fields.py
- index: local/search_service/definitions/test_indexes.py
- paths: local/search_service/definitions/test_complex_fields.py
- suggesters: local/search_service/features/test_suggestions.py
- updates: local/search_service/definitions/test_compressions.py
"""
