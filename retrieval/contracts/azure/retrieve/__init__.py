"""Code for retrieve requests that all versions since 2025-08-01-preview share. It turns a request on the wire into a
`RetrievalRequest`, and an outcome into an answer on the wire.

The modules here know the members of all these versions; `members_by_version.shape_in` makes the shapes of one version.
The shape of a request refuses members that it does not declare. The shape of an answer leaves them out.

- `requests`: Turns a request of any of these versions into a `RetrievalRequest`
- `request_shapes`: Shapes of requests
- `responses`: Turns the outcome of a retrieval into the answer of one version, with its references and records
- `events`: A retrieval as server-sent events
- `record_shapes`: What the records of searches and the references of every kind of source share
- `response_shapes`: Shapes of answers
"""
