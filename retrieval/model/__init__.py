"""The shared data classes. Contracts parse requests into them, `call` works on them, and contracts write answers from
them. Their instances are frozen.

- `conversation`: messages
- `retrieval`: a request, its plan, its outcome
- `search`: a sub-query and its result; facets
- `answer`: an answer, its chunks and its evidence
- `activity`: the records of a call
- `prompt`: a prompt for a model
- `progress`: the events of an answer for its caller
- `definitions`: agents and their sources
- `query_hints`: the hints of a source for a plan
- `tools`, `mcp_hosts`: a server of tools as a source, and the MCP servers that may be called
- `model_studio`: a base of Model Studio, and how its scores relate to Azure's
- `caller`: who calls
- `etags`: conditions of a write
- `json_value`: a value of JSON
- `document_paths`: reads a document by the paths of its fields
- `calibration`: the probability that an index has an answer, by score
- `finding`: a finding about a deployment

An empty tuple means that there are no values. None usually means that the caller or a service did not state a value.
"""
