"""Azure AI Search.

index        a search index: one semantic query for a sub-query       body       the body of a search
page         the hits of an answer                                    failures   its refusals, as our errors
definition   an index definition, read for its fields and roles       facets     the values that its documents have
"""
