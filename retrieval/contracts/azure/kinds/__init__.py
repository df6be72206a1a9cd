"""Reads and shows the definition of each kind of knowledge source, with the members of every version.

A kind that is an index of the search service has one file here and one row in `table`; any other kind has
`definition.py` of its folder in `retrieval.sources`. Each version that has the kind lists it in its `kinds`. A member
of the kind has marks of its versions.

- `kind`: What a kind has, and the names of members
- `table`: The kinds by name
- `search_index`: An index of the search service
- `ingested`: The kinds whose index Azure's ingestion makes
- `azure_blob`, `indexed_one_lake`, `indexed_share_point`, `indexed_sql`, `file`: The members of each of these kinds
- `ingestion_shapes`: The members that the ingestion reads
- `secrets`: Removes the secrets from the members that the ingestion reads
"""
