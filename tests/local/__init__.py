"""Tests of `retrieval/local`.

Modules without a file of their own here, and the file that holds their tests:

- analyzers: local/test_corpora.py
- application: http/test_delivery.py
- certificate: telemetry/test_application_insights.py
- connection: local/host/test_server.py
- filled: contracts/azure/test_bad_input.py
- followed: local/documents/test_watching.py
- greeting: local/test_serving.py
- known_hosts: local/test_search_command.py
- model_arguments: local/test_models.py
- server: local/host/test_server.py
- stand_in: local/test_vector_retrieval.py
- wire: local/test_transport.py
"""
