"""Tests of `retrieval/doctor`: each fault in turn, over a scripted Azure.

Modules without a file of their own here, and the file that holds their tests:

- access: doctor/test_each_fault.py
- response: doctor/test_route.py
- room: doctor/test_route.py
- checks: doctor/test_each_fault.py
- description: openapi/test_document.py
- indexes: doctor/test_each_fault.py
- models: doctor/test_each_fault.py
- remote: doctor/test_command.py
- report: doctor/test_command.py
- services: doctor/test_upstream.py
"""
