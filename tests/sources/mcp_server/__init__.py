"""Tests of `retrieval/sources/mcp_server`.

Modules without a file of their own here, and the file that holds their tests:

- connections: sources/mcp_server/test_hosts.py
- exchange: sources/mcp_server/test_hostile.py
- messages: sources/mcp_server/test_hostile.py
- servers: sources/mcp_server/test_calls.py
- session: sources/mcp_server/test_calls.py
"""
