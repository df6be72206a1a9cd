"""Tests of `retrieval/backends/mcp_server`.

Modules without a file of their own here, and the file that holds their tests:

- connections: backends/mcp_server/test_hosts.py
- exchange: backends/mcp_server/test_hostile.py
- messages: backends/mcp_server/test_hostile.py
- servers: backends/mcp_server/test_calls.py
- session: backends/mcp_server/test_calls.py
"""
