"""Checks for the usual faults of a deployment, each with what to do: `python -m retrieval.doctor`.

examination   checks, all at once, each within its time      deployment    what is examined, as a list of checks
identity      tokens of the identity in use                  clouds        addresses and audiences of each cloud
indexes       every index                                    models        every model deployment
index_definition   what an index has of what retrieval needs
definitions   the store of agents and sources                access        who may call
model_studio  the knowledge bases of Model Studio            mcp_servers   the MCP servers of sources
services      one call of a service, and its troubles        role_advice   what to do where a role is lacking, or new
report        findings as lines
remote        the findings of an app, over HTTP, with nothing but the standard library

A check is a function that gives findings; `deployment` lists them.
"""
