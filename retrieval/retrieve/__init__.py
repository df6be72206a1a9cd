"""The way of a retrieve: plan, search, merge, select, follow up, ground.

- `retrieve_documents`: the sequence of these steps, and a model's selection of documents; read it first
- `plan`: the queries of a call, by a model or by rules
- `search`: the searches of a round, and their documents as one list
- `search_for_names`: the follow-up without a model: a search for names in the first documents, and what it leads to
- `grounding`: documents as text for a model, within a number and a budget of tokens; the records of a retrieval
- `synthesis`: the documents, and an answer that is written from them; the languages of the documents
"""
