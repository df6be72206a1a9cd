"""The answer operation: route and plan at the same time, search, read the evidence, follow up, read again.

- `answers`: the sequence of these steps, and whether a message needs documents; read it first
- `rounds`: the rounds: searches, their documents as chunks, a record; the final chunks
- `reading`: the question about the evidence: the answer as blocks, and the judgement
- `second_round`: the second round: missing information, or a second plan where the first queries found nothing
"""
