"""What can be searched. Each kind of source has a folder.

- `search_index`: Azure AI Search
- `model_studio`: Alibaba Cloud Model Studio
- `mcp_server`: tools of MCP servers
- `federated`: combines them into one `SearchIndex`
"""
