"""Reads and shows the definition of each kind of knowledge source, with the members of every version.

A kind whose documents are in an index of the search service is one of `indexes`; any other kind has `definition.py` of
its folder in `retrieval.sources`. Each version that has the kind lists it in its `kinds`. A member of the kind has
marks of its versions.

- `kind`: What a kind has, and the names of members
- `table`: The kinds by name
- `indexes`: An index of the search service, the kinds whose index Azure's ingestion makes, and their query hints
"""
