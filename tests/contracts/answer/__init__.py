"""Tests of `retrieval/contracts/answer`.

Modules without a file of their own here, and the file that holds their tests:

- description: openapi/test_retrieve.py
- events: answer/test_answer_events.py
- shapes: contracts/answer/test_workflow_payloads.py
"""
