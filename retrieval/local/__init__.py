"""What stands in for Azure on a developer's machine. Never deployed (.funcignore), never imported by the rest.

- `host`: runs function_app's functions over HTTP as the Functions host would. `__main__`: the commands.
- `search_service`: speaks Azure AI Search's REST API over an in-process index. `corpora`, `corpus`: what is in it.
- `wire`: one HTTP exchange as plain data. `transport`: an azure-core transport over it; `server`: loopback HTTP.
- `stand_in`: the search service with its corpora loaded, and an agent for each; what `LOCAL=1` composes.
"""
