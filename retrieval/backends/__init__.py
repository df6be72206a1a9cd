"""The edge out: one folder per service. Only that folder knows the service's SDK, and turns its errors into ours.

azure_search   azure_openai   model_studio   mcp_server   entra_id   the services
definitions    where agents are kept: memory, file, table
federated      several search services as one                 guarded       a limit and a breaker for each target
plain_http     one request, its answer as it came        over_aiohttp   aiohttp's errors as ours
retries        when a call is repeated                   tokens         what the identity's tokens say
breaker        a silent target is not called for a while     connections   the network of the Azure SDKs
bodies         an answer is unpacked in pieces, up to a limit
"""
