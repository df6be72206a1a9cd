"""Tests of `retrieval/contracts`.

Modules without a file of their own here, and the file that holds their tests:

- described: openapi/test_document.py
- health: http/monitoring/test_health.py
- served_versions: http/test_unknown_versions.py
- rendered: contracts/azure/test_published_examples.py
"""
