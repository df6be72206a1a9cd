"""Reads and shows the definition of each kind of knowledge source, with the members of every version.

A kind has one file here and one row in `table`. Each version that has the kind lists it in its `kinds`. A member of the
kind has marks of its versions.

- `kind`: The functions that a kind has, the names of members, and Azure's kinds that are not served
- `table`: The kinds by name
- `search_index`: An index of the search service
- `model_studio_base`: A Model Studio base, which is our own kind
- `mcp_server`: Tools of an MCP server
- `ingested`: The kinds whose index Azure's ingestion makes
- `azure_blob`, `indexed_one_lake`, `indexed_share_point`, `indexed_sql`, `file`: The members of each of these kinds
- `ingestion_shapes`: The members that the ingestion reads
- `secrets`: Removes the secrets from the members that the ingestion reads
"""
