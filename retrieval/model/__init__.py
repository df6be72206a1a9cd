"""The shared data classes. Contracts parse requests into them, `call` works on them, and contracts write answers from
them. Their instances are frozen.

    conversation   messages                  definitions   agents and their sources        caller   who calls
    retrieval      a request, its plan, its outcome       search   a sub-query and its result; facets
    answer         an answer, its chunks and its evidence
    activity       the records of a call     prompt        a prompt for a model
    etags          conditions of a write     json_value    a value of JSON
    calibration    the probability of an answer by score   finding       a finding about a deployment
    model_studio   a base of Model Studio, and how its scores relate to Azure's
    query_hints the hints of a source for a plan progress the events of an answer for its caller
    mcp_server     an MCP server as a source   mcp_hosts     the MCP servers that may be called

An empty tuple means that there are no values. None usually means that the caller or a service did not state a value.
"""
