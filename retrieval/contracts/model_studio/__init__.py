"""Alibaba Cloud Model Studio, Retrieve, version 2023-12-29: `POST {workspaceId}/index/retrieve`.

`parameters.read` reads the parameters from the query string and the body. `request.parse` turns them into a retrieval
request for a published index.

- `address`: The address of a call of Retrieve: its path, and the headers that name the action and the version
- `description`: What the contract says of its route for the OpenAPI document
- `errors`: The error envelope of Model Studio, and the documented status and code of each error
- `parameters`: The parameters of Retrieve, with their limits, from the query string, a JSON body or a form
- `published_shape`: The shape of `WORKSPACES`
- `push`: The part of a filter that an index can answer
- `request`: Turns the parameters of Retrieve into a retrieval request for the index that the call names
- `response`: The response of Retrieve, 2023-12-29: chunks with a text, a score and metadata, the highest score first
- `room`: The route, its admission, and the door
- `scores`: Converts between the scores of Model Studio and those of a reranker
- `search_filters`: Reads SearchFilters as a filter tree
- `signatures`: Checks Alibaba Cloud's signature of a call
- `workspaces`: The indexes that are published under a workspace and an id, and the settings of this contract
"""
