"""The searches of a round, and their documents as one list.

- `searching`: the sub-queries of a round, and all their searches at once
- `merge`: the documents of all searches in their order; each other document is counted by its reason
- `linked_documents`: the documents that the names of a follow-up lead to

Tools of MCP servers:

- `servers`: calls them beside the searches
- `tool_calls`: the calls that a model or the rules choose, and whether a tool's schema allows their arguments
"""
