"""The searches of a round, and their documents as one list.

- `searching`: runs all searches of a plan at once
- `merge`: the documents of all searches, by score; each other document is counted by its reason
- `reordering`: the order of references by more than their scores
- `linked_documents`: the documents that the names of a follow-up lead to

Tools of MCP servers:

- `servers`: calls them beside the searches
- `tool_calls`: the calls that a model chooses, with their arguments
- `tool_arguments`: the arguments without a model
- `input_schema`: whether a tool's schema allows arguments
"""
