"""The way of a retrieve: plan, search, merge, select, follow up, ground.

- `retrieve_documents`: the sequence of these steps; read it first
- `plan`: the queries of a call, by a model or by rules
- `search`: the searches of a round, and their documents as one list
- `select`: a model's choice of the documents that come first, and its further queries
- `second_search`: the follow-up without a model: a search for names in the first documents
- `grounding`: documents as text for a model, within a number and a budget of tokens; the records of a retrieval
- `document_languages`: the languages of the documents, where a question is in another one
- `synthesis`: the documents, and an answer that is written from them
"""
