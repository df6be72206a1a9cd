"""Tests of `retrieval/compose`.

Modules without a file of their own here, and the file that holds their tests:

- access: access/test_mcp.py
- definitions: http/monitoring/test_ready.py
- definitions_file: compose/test_export_import.py
- doctor: doctor/test_each_fault.py
- names: settings/test_missing_definitions.py
- search: http/monitoring/test_ready.py
"""
