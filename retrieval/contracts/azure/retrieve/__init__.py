"""Shared parts of the versions of retrieve since 2025-08-01-preview: they turn members on the wire into the hub and
back.

A version's package declares which members it has, as shapes. The modules here know every member of every version. A
request gives the members that its shape has, and the shape of an answer takes the members that it declares.

- `requests`: Turns a request with the members of every version into a `RetrievalRequest`
- `request_shapes`: Shapes of requests that are the same in several versions
- `answers`: Turns the outcome of a retrieval into the answer of one version
- `events`: A retrieval as server-sent events
- `records`: The records of activity, with the members of every version
- `response_shapes`: Shapes of answers that are the same in several versions
- `timed_shapes`: Shapes of answers that have been the same since 2026-08-01-preview
"""
