"""Checks a deployment for common faults, and tells how to correct each fault: `python -m retrieval.doctor`.

- `checks`: the list of all checks, which run at the same time, each with a time limit
- `identity`: checks the tokens of the deployment's identity, by the token audiences of each cloud
- `indexes`: checks the indexes of agents, sources and INDEX_FIELDS, and their definitions
- `models`: checks the model deployments that may be called, and the chat server of CHAT_URL
- `definitions`: checks the store of agents and sources
- `room`: the route `GET doctor`, whose answer is in `response`
- `export_import`: exports the definitions of a store, and imports them
- `description`: describes the doctor's route for the OpenAPI document
- `access`: checks the keys and the settings of Entra ID
- `services`: calls a service, and explains a failed call
- `role_advice`: tells what to do if a role is missing or new
- `sentences`: makes the findings from `sentences.toml`, which has the sentences of all checks
- `report`: formats findings as lines
- `remote`: reads the findings of an app over HTTP, with only the standard library

A check has a subject, and a function that returns findings about it.
"""
