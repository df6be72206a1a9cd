"""MCP servers as search indexes: a call of a tool is a search, and its output is documents.

The protocol is sent here, over the one way out of this service. The client of the package `mcp` follows redirects of
the same origin, reads a JSON answer of any size and parses it on the event loop: a transport of our own beneath it
would have to hold it to all that is held here. The tests ask the same servers with both.

servers      the tools of a server, and a call of one         session     the beginning of a session, kept for a while
exchange     one message and its answer, within limits        connections only to addresses that were checked
messages     JSON-RPC, as far as it is needed here            output      documents of what a tool gives
"""
