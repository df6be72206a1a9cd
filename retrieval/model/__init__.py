"""The hub: what contracts parse into, what the engine works on, what contracts render from. Frozen values.

    conversation   messages                  definitions   agents and what they search     caller   who calls
    retrieval      a request, its plan, its outcome       search   a sub-query and what it found; facets
    answer         what an answer is, and what it rests on: chunks and evidence
    activity       what a call did           prompt        asked of a model
    etags          conditions of a write     json_value    a value of JSON
    calibration    how likely an answer is   finding       of an examination of a deployment
    model_studio   a base of Model Studio, and how its scores relate to Azure's
    query_hints    what a source tells a plan    progress   what a caller is told of an answer
    mcp_server     tools of one as a source   mcp_hosts     which of them may be called

Empty is `()`; None means that the caller or a service did not say.
"""
