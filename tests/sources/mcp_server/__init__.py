"""Tests of `retrieval/sources/mcp_server`.

Modules without a file of their own here, and the file that holds their tests:

- checks: doctor/test_mcp_servers.py
- search/exchange: sources/mcp_server/test_hostile.py
- messages: sources/mcp_server/test_hostile.py
- definition: scenarios/mcp_servers/test_definitions.py
- room: scenarios/mcp_servers/test_definitions.py
- search/servers: sources/mcp_server/test_calls.py
"""
