"""Runs one call of retrieve, answer, MCP or Model Studio. The request's output and effort decide which steps run.

- `retrieve_documents`: the documents of a call: plan, search, merge, select, follow up, ground
- `synthesis`: the documents, and an answer that is written from them
- `answers`: an answer: route and plan at the same time, search, read the evidence, follow up, read again
- `run`: a running call: its request, its ports, its budget
- `rounds`: the rounds of an answer: searches, their documents as chunks, a record
- `second_round`: the second round: missing information, or a second plan
- `planning`: the plan of a call, and searches before it is complete
- `document_languages`: the languages of the documents, where a question is in another one
- `preferences`: the facets that the question names
- `searching`: runs all searches of a plan at once
- `subqueries`: the sub-queries of a round
- `servers`: calls of tools of MCP servers
- `late_searches`: waits for searches, and gives up late searches
- `merge`: the documents of all searches as one list
- `reordering`: the order of references by more than their scores
- `answer_chunks`: the final chunks, and chunks that a follow-up found again
- `chunks`: texts of references within a budget
- `grounding_text`: the grounding text within a number of documents and a budget of tokens
- `reading`: the question about the evidence, and the state of an answer before and after it
- `writing`: the question to the writer of a synthesis, and the check of a draft
- `growing_draft`: a draft that is shown while it is written
- `shown_answer`: the part of an answer that its caller already has
- `fitting`: shorter questions for a server with a small context
- `model_calls`: model calls within the time and the tokens
- `records`: the activity of a retrieval
- `observing`: events for observers
"""
