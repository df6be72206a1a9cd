"""Tests of `retrieval/contracts/azure`.

Modules without a file of their own here, and the file that holds their tests:

- conditions: http/test_agents.py
- errors: contracts/azure/test_bad_input.py
- parts: contracts/azure/test_bad_input.py
- v2025_05_01_preview/agents: http/test_agents.py
- v2025_05_01_preview/request: contracts/azure/test_bad_input.py
- v2025_05_01_preview/response: contracts/azure/test_published_examples.py
"""
