"""Tests of `retrieval/contracts/mcp`.

Modules without a file of their own here, and the file that holds their tests:

- answer: contracts/mcp/test_tools.py
- content: contracts/mcp/test_tools.py
- description: openapi/test_document.py
- exchange: contracts/mcp/test_protocol.py
- knowledge_base_retrieve: contracts/mcp/test_tools.py
- rag_retrieve: contracts/mcp/test_tools.py
- room: access/test_mcp.py
- rpc_errors: contracts/mcp/test_protocol.py
- sign_in: access/test_protected_resource.py
"""
