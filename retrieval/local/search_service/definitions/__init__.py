"""What an index definition may say, checked.

- `aliases`: Aliases: other names for an index, in requests for documents only
- `compressions`: `vectorSearch.compressions`: checked, kept and given back
- `cors`: CORS options in a definition: checked and given back
- `document`: A document, as JSON has it
- `fields`: The fields of an index definition: types, attributes, sub-fields of complex types, vectors
- `index`: An index definition as the REST API receives it: checked, and what this service does not do refused by name
- `paths`: Reading a document by the path of a field: `Address/City`, `Rooms/Tags`
- `representation`: An index definition as Azure gives it back: every attribute with its default, in Azure's order,
  without secrets
- `scoring_profile`: Scoring profiles in an index definition: what boosts a document's score, checked against the
  fields of the index
- `suggesters`: Suggesters in an index definition
- `updates`: What may change of an index that has documents
- `vector_search`: The part `vectorSearch` of an index definition: which metric and which vectorizer a profile means
"""
