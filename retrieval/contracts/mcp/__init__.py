"""MCP, the Model Context Protocol, over streamable HTTP without sessions: `POST agents/{name}/mcp` and
`knowledgebases/{name}/mcp`.

`exchange` has the table of tools, and uses the official `mcp` package for the protocol. It and `rpc_errors` handle the
cases that the package does not handle. Each tool has arguments, `parse` and `render`.

- `answer`: The tool `answer`: a whole answer with checked citations
- `content`: The arguments and results of tools, and their JSON schemas. A result has a text for models, and structured
  content for programs
- `description`: What the contract says of its routes for the OpenAPI document
- `knowledge_base_retrieve`: The tool `knowledge_base_retrieve`: the retrieve operation over MCP
- `progress`: Progress notifications, which are sent before the answer to a client that asks for them
- `rag_retrieve`: The tool `rag_retrieve`: one search for the retriever step of an agentic RAG workflow
- `room`: The routes, and the check of a call's Origin
- `sign_in`: Tells a client where to sign in: the metadata of an address (RFC 9728)
"""
