"""Tests of `retrieval/contracts/mcp`.

Modules without a file of their own here, and the file that holds their tests:

- activity: contracts/mcp/test_tools.py
- answer: contracts/mcp/test_tools.py
- content: contracts/mcp/test_tools.py
- description: openapi/test_document.py
- exchange: contracts/mcp/test_protocol.py
- knowledge_base_retrieve: contracts/mcp/test_tools.py
- messages: contracts/mcp/test_protocol.py
- rag_retrieve: contracts/mcp/test_tools.py
- rpc_errors: contracts/mcp/test_protocol.py
"""
