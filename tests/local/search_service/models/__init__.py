"""Tests of `retrieval/local/search_service/models`.

Modules without a file of their own here, and the file that holds their tests:

- ports: local/search_service/models/test_models_in_service.py
- wanted: local/test_models.py
"""
