"""MCP, the Model Context Protocol, over streamable HTTP without sessions: `POST agents/{name}/mcp`.

`exchange` speaks the protocol by the official `mcp` package and is loaded at the first call; `messages` and `refusals`
are what is said around it. `tools` is the table of tools, each a module with its arguments, `parse` and `render`.
"""
