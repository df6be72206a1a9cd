"""The searches of a round, and their documents as one list.

- `searching`: the sub-queries of a round, and all their searches at once
- `merge`: the documents of all searches in their order; each other document is counted by its reason
- `tool_calls`: the calls of tools of MCP servers, which a model or the rules choose
"""
