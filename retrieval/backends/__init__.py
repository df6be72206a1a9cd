"""The clients of the services that this service calls. Each service has its own folder. Only code in that folder uses
the service's SDK. It turns the SDK's errors into the errors of `retrieval.errors`.

- `azure_search`, `azure_openai`, `model_studio`, `mcp_server`, `entra_id`: the services
- `definitions`: the stores of agents and sources: memory, file, table
- `federated`: combines several search services into one
- `guarded`: a connection limit and a circuit breaker for each target
- `plain_http`: sends one HTTP request and returns the response unchanged
- `over_aiohttp`: turns aiohttp's errors into the errors of `retrieval.errors`
- `retries`: repeats calls after temporary failures
- `tokens`: the claims of the tokens of this service's identity
- `breaker`: a circuit breaker, which stops calls to a target that does not answer
- `connections`: the HTTP connections of the Azure SDKs
- `bodies`: decompresses a response body in pieces, up to a limit
"""
