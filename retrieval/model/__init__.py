"""The hub: what contracts parse into, what the engine works on, what contracts render from. Frozen values.

    conversation   messages                  definitions   agents and what they search     caller   who calls
    retrieval      a request and its outcome search        a sub-query and what it found   prompt   asked of a model
    plan           the queries to search      evidence      chunks that an answer may rest on, and of what use they are
    activity       what a call did           answer        what an answer is
    etags          conditions of a write     json_value    a value of JSON
    calibration    how likely an answer is
    most_subqueries   of one call         finding        of an examination of a deployment
    model_studio_base   a base of Model Studio            model_studio_scores   its scores, and Azure's
    query_hints         what a source tells a plan

Empty is `()`; None means that the caller or a service did not say.
"""
