"""Code for retrieve requests that all versions since 2025-08-01-preview share. It turns a request on the wire into a
`RetrievalRequest`, and an outcome into an answer on the wire.

The package of a version declares the members of the version as shapes. The modules here know the members of all these
versions. The shape of a request refuses members that it does not declare. The shape of an answer leaves them out.

- `requests`: Turns a request of any of these versions into a `RetrievalRequest`
- `request_shapes`: Shapes of requests that are the same in several versions
- `answers`: Turns the outcome of a retrieval into the answer of one version
- `events`: A retrieval as server-sent events
- `records`: The records of activity, with the members of every version
- `response_shapes`: Shapes of answers that are the same in several versions
- `timed_shapes`: Shapes of answers that several versions since 2026-08-01-preview share
"""
