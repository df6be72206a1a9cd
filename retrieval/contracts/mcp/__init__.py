"""MCP, the Model Context Protocol, over streamable HTTP without sessions: `POST agents/{name}/mcp`.

`exchange` speaks the protocol by the official `mcp` package and is loaded at the first call; `messages` and `refusals`
are what is said around it. `tools` is the table of tools, each a module with its arguments, `parse` and `render`.

- `activity`: The account of a retrieval in structured content: a record a step, with the names that the retrieve
  contract has
- `content`: What a tool says: a text for models, and the same facts as structured content for programs
- `knowledge_base_retrieve`: The tool `knowledge_base_retrieve`: a retrieve for whoever speaks MCP
- `rag_retrieve`: The tool `rag_retrieve`: one search for the retriever step of an agentic RAG workflow
- `schema`: JSON schemas of tools as clients can use them: whole in one piece, since some follow no references
"""
