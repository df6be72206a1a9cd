"""Stores of definitions, and a cache for lookups.

- `file_store`, `table_store`: two stores with the same contract
- `seeded_store`: a store in memory with this contract, a store that also contains the configured definitions, and the
  first read of a process's stores
- `stored_json`: converts definitions to and from JSON text
- `agents_and_sources`: stores agents together with their sources
- `bound_sources`: binds each target of an agent to its source
- `cache`: lookups of agents that rarely read the store
"""
