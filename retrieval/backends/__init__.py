"""The edge out: one folder a service. Each alone knows its SDK, and turns that SDK's errors into ours.

azure_search   azure_openai   model_studio   entra_id         the services
definitions    where agents are kept: memory, file, table
federated      several search services as one                 guarded       a limit and a breaker for each target
breaker        who keeps silent is left alone for a while     connections   the network of the Azure SDKs
"""
