"""The kinds of knowledge sources: how the definition of each is read and shown, with the members of every version.

A kind is one file here, a row in `table`, and a line in `kinds.py` of each version that has it. A version's shapes say
which members of the kind it has.

- `kind`: What a kind is, and the members that versions spell
- `table`: The kinds by name, and the kinds of Azure's that are not served
- `search_index`: An index of the search service
- `model_studio_base`: A base of Model Studio, our own kind
- `mcp_server`: Tools of an MCP server
- `ingested`: The kinds whose index Azure's ingestion makes, `ingestion_shapes` by version; `secrets` keeps secrets out
  - `azure_blob`, `indexed_one_lake`, `indexed_share_point`, `indexed_sql`, `file`: The members of each of these
"""
