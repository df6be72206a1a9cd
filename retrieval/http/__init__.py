"""The HTTP endpoints. `serving` has the code that all routes share, and each family of routes has a short module.

- `serving`: the shared code: admits a caller, counts the call, runs the endpoint, delivers and logs
- `call`: a call as the Functions host passes it, its version and headers
- `cors`: which pages may call, and which headers of an answer they may read
- `in_flight`: the limit on concurrent calls
- `service`: the parts of the service that endpoints use
- `delivery`: sends events as they happen if the host supports it, otherwise in one body
- `retrieve`, `answer`, `definitions`: the routes that need a credential; other contracts ask through `retrieve`
- `monitoring`: health, readiness, OpenAPI document, playground
- `stream_extension`: a function that uses Microsoft's extension for HTTP streams
- `routes`: a table of routes, with the function, endpoint and id of each route; answers calls that fit no route
- `rooms`: what a room brings: its routes, its settings, and its part of the service
- `template`: compares a path with a route template
"""
