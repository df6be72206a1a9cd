"""MCP, the Model Context Protocol, over streamable HTTP without sessions: `POST agents/{name}/mcp`.

`exchange` implements the protocol by the official `mcp` package and is loaded at the first call; `messages` and
`refusals` handle what the package does not. `tools` is the table of tools: each with arguments, `parse`, `render`.

- `activity`: The activity of a retrieval as structured content: a record per step, with the names of the retrieve
  contract
- `answer`: The tool `answer`: a whole answer with checked citations
- `content`: The arguments and results of tools: a text for models, structured content for programs; and their JSON
  schemas
- `knowledge_base_retrieve`: The tool `knowledge_base_retrieve`: the retrieve operation over MCP
- `progress`: The notifications of a client that asks for progress, before the answer
- `rag_retrieve`: The tool `rag_retrieve`: one search for the retriever step of an agentic RAG workflow
"""
