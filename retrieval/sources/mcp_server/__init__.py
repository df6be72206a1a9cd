"""MCP servers as search indexes. A search is a call of a tool, and the tool's output contains the documents.

- `definition`: the parameters of a source, its records and its references
- `room`: what a deployment has of them: the hosts and header values of its settings, and what calls pass on
- `search`: the tools of a server, and a call of a tool
- `hosts`: the servers that may be called, and the headers that they may get
- `settings`: the settings of the deployment
- `checks`: the checks of the doctor
- `messages`: the parts of JSON-RPC that this package needs
- `json_path`: paths to documents within JSON
- `output`: reads documents from a tool's output
"""
