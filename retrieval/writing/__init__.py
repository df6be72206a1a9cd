"""The text of an answer: written by a model and checked claim by claim, or passages by rule. A knowledge base's written
answer and the answer operation share it.

- `answer_blocks`: an answer as blocks, the prompt of a synthesis, and the blocks of its reply
- `shown_draft`: the question to the writer of a synthesis, and the check of a draft, which may be shown while it grows
- `answer_by_rules`: the answer without a writer

Checked. `answer_markdown` makes the Markdown of the blocks that pass; start there:

- `citation_check`: each block, kept or removed, with its quotations
- `claim_support`: the texts that support a claim, and sentences about missing information
- `markdown`: blocks as Markdown that shows their text literally; the list of sources and the missing points
"""
