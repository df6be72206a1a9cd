"""Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`.

`parameters.read` reads the parameters from the query string and the body. `contract.Contract` turns them into a
retrieval request for a published index.

- `contract`: The retrieval request that the parameters state, and the answer
- `description`: What the contract says of its route for the OpenAPI document
- `errors`: The error envelope of Model Studio, and the documented status and code of each error
- `parameters`: The parameters of Retrieve, with their limits, from the query string, a JSON body or a form
- `published_shape`: The shape of `WORKSPACES`
- `index_filter`: The part of a filter that an index can answer
- `refusals`: The errors that only this contract has
- `room`: The route, its admission, and the door
- `search_filters`: Reads SearchFilters as a filter tree
- `signatures`: Checks Alibaba Cloud's signature of a call
- `workspaces`: The indexes that are published under a workspace and an id, and the settings of this contract
"""
