"""Calls MCP servers. This package sends the protocol's messages itself, with aiohttp. It does not use the client of the
package `mcp`. That client follows redirects of the same origin, reads JSON answers of any size, and parses them on the
event loop. A custom transport for that client would have to enforce all the limits of this package.

- `loaded`: loads the client at its first call
- `servers`: the tools of a server, and a call of a tool
- `session`: a session with a server, which is kept for some time
- `exchange`: sends one message and reads its answer, within limits, and only to IP addresses that were checked
"""
