"""Replaces Azure on a developer's machine. Never deployed (.funcignore), never imported by the rest.

- `host`: runs function_app's functions over HTTP as the Functions host would. `__main__`: the commands.
- `search_service`: speaks Azure AI Search's REST API over an in-process index. `corpora`, `corpus`,
  `json_lines`: what is in it; `analyzers`: the languages that it can be in.
- `documents`: files as people have them: read, split, loaded here or into Azure.
- `wire`: one HTTP exchange as plain data. `transport`: an azure-core transport over it; `server`: loopback HTTP.
- `evaluation`: the command `eval`, which measures retrieval and answers on a collection.
- `testing`: the services for the tests of another project, and pytest's fixtures.
- `stand_in`: the search service with its corpora loaded, and an agent for each; what `LOCAL=1` composes.

- `application`: A `WireService` as an ASGI application: reads the body, watches whether the client is still there,
  sends the answer
- `call_log`: One line a call; `greeting`: what a start says to whoever watches it
- `certificate`: A self-signed certificate for this machine, made when a server starts: some clients speak TLS only
- `connection`: One connection of the loopback server: a head that does not come ends it
- `extras`: The command that brings the packages of an extra
- `faults`: Faults on request: a service that fails as a script says, to see what a client makes of it
- `filled`: A corpus as an index of a search service
- `ingested`: A corpus in an index of the shape that Azure's ingestion makes, behind its knowledge source
- `followed`: The indexes of loaded files, which follow these with `--watch`
- `known_hosts`: The local search service behind a check of the Host of each request
- `model_arguments`: `--model` and `--ranker`, which `serve`, `search` and `eval` have in common
- `one_address`: The routes of the search service beside those of the app
- `progress`: How far a long step at the start is, for who watches it on a terminal
- `traces`: The spans of each call as a tree on the terminal
- `search_command`: What `python -m retrieval.local search` serves: a search service, its data folder, its corpora,
  its keys
"""
