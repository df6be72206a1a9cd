"""The answer operation: route and plan at the same time, search, read the evidence, follow up, read again.

- `answers`: the sequence of these steps; read it first
- `route`: whether a message needs documents, by a model
- `route_by_rules`: the same by rules
- `rounds`: the rounds: searches, their documents as chunks, a record
- `answer_chunks`: the final chunks, and chunks that a follow-up found again
- `reading`: the question about the evidence, and the state of an answer before and after it
- `answer`: the prompt of that question: the answer as blocks, and the judgement of its evidence
- `second_round`: the second round: missing information, or a second plan
- `second_plan`: other queries, where the first queries found nothing
"""
