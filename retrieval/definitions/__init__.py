"""Stores of definitions, and a cache for lookups.

- `memory_store`, `file_store`, `table_store`: three stores with the same contract
- `seeded_store`: a store that also contains the configured definitions, and the first read of a process's stores
- `document`: converts definitions to and from JSON text
- `binding`: binds each target of an agent to its source
- `source_store`: stores agents together with their sources
- `cache`: lookups of agents that rarely read the store
"""
