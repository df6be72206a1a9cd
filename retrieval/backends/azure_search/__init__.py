"""Azure AI Search.

index        a search index: one semantic query for a sub-query       body       the body of a search
client       the SDK's client, with the policies that a search needs   failures   its refusals, as our errors
page         the hits of an answer                                    facets     the values that its documents have
definition   an index definition, read for its fields and their roles
over_aiohttp how the SDK's client sends its requests
"""
