"""The clients of the services that this service calls. Each service has its own folder, but the client of Azure Table
storage is in `definitions`. Each client turns the errors of its service into the errors of `retrieval.errors`.

- `azure_search`, `azure_openai`, `model_studio`, `mcp_server`, `entra_id`: the services
- `definitions`: the stores of agents and sources, in memory, a file or a table
- `federated`: combines several search services into one
- `guarded`: a connection limit and a circuit breaker for each target
- `plain_http`: sends one HTTP request and returns the response
- `over_aiohttp`: turns aiohttp's errors into the errors of `retrieval.errors`
- `retries`: repeats calls after temporary failures
- `access_tokens`: the access tokens of `retrieval.doctor`, and their claims
- `breaker`: a circuit breaker, which stops calls to a target that does not answer
- `connections`: the HTTP connections of most clients
- `bodies`: decompresses a response body in pieces, up to a limit
- `event_streams`: reads server-sent events, up to a limit
- `secrets`: replaces secrets in what a service answered
"""
