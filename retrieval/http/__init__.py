"""The way in over HTTP: one skeleton, and a short file for each family of routes that says only what differs.

serving      THE skeleton: admits, counts in flight, chooses the contract, runs, delivers, logs
asking       what every question to an agent shares: find its definition, parse, run, render
call         a call as the Functions host hands it over       in_flight   the limit of calls under way
service      what the endpoints work with, in a few nouns     call_log    the one line of log for each call
delivery     events as they happen where the host can carry them, or in one body
cors         which pages in a browser may read an answer
streaming    a retrieval as events                            streamed_answer   an answer as events
retrieve  answer  workspaces  mcp  definitions  doctor        the families of routes that need a caller
validity     is what a definition names there?
sign_in      where clients of MCP that sign in find the tenant
passed_on    what of a call goes on to MCP servers
monitoring   what everybody may ask                unmatched   what no function takes, also beneath a base path
stream_extension  a function over the extension for HTTP streams
routes       THE table: each route with its function, endpoint and id
template     how a path fits a route
"""
