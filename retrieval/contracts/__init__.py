"""The contracts of this service, each in its own module or package.

- `served_versions`: The tables of Azure AI Search's contracts, by route and version, and the version that stands in for
  a later, unknown one
- `answer`: The contract of `POST agents/{name}/answer`, the answer workflow: one request, and two forms of the answer
- `azure`: Azure AI Search's contracts: the members of all versions, and one module for each version
- `described`: The words in which a contract describes its routes for the OpenAPI document
- `health`: The answers for monitors: whether the process is alive, and whether it can serve calls
- `mcp`: MCP, the Model Context Protocol, over streamable HTTP without sessions: `POST agents/{name}/mcp` and
  `knowledgebases/{name}/mcp`
- `model_studio`: Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`
- `rendered`: The answer that a contract renders: status, headers, and a body or events, for any web framework
"""
