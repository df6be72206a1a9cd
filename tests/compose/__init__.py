"""Tests of `retrieval/compose`.

Modules without a file of their own here, and the file that holds their tests:

- access: access/test_tokens.py
- definitions: http/monitoring/test_ready.py
- definitions_file: http/test_definitions.py
- materials: compose/test_identity.py
- rooms: http/test_addresses.py
- search: http/monitoring/test_ready.py
"""
