"""What all calls to other services share. A failure of a service becomes an error of `retrieval.errors`.

- `over_aiohttp`: turns aiohttp's errors into the errors of `retrieval.errors`
- `connections`: the HTTP connections of most clients, and one request on them
- `bodies`: decompresses a response body and reads events, up to a limit; replaces secrets in it
- `breakers_and_retries`: a connection limit and a circuit breaker for each target; repeats calls after temporary
  failures
- `access_tokens`: the access tokens of this service and `retrieval.doctor`, and their claims
- `acs3`: signs calls to Alibaba Cloud (ACS3-HMAC-SHA256)
"""
