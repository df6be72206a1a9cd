"""The shared data classes. Contracts parse requests into them, `call` works on them, and contracts write answers from
them. Their instances are frozen, except `Ended`.

- `conversation`: messages, and a prompt for a model
- `retrieval`: a request, its plan, its outcome; the chunks that a model reads
- `search`: a sub-query and its result; facets and query hints
- `answer`: an answer and its evidence
- `progress`: the events for a caller while an answer is made
- `activity`: the records of a call
- `definitions`: agents and their sources, and how a store keeps them
- `precondition`: the precondition of a write
- `tools`: a server of tools as a source, and the MCP servers that may be called
- `caller`: who calls
- `json_value`: a value of JSON, and the parts of a document
- `finding`: a finding about a deployment

An empty tuple means that there are no values. None usually means that the caller or a service did not state a value.
"""
