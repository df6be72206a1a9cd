"""The text of an answer: written by a model and checked claim by claim, or passages by rule. A knowledge base's written
answer and the answer operation share it.

Written by a model:

- `write`: the prompt of a synthesis, and its blocks
- `writing`: the question to the writer of a synthesis, and the check of a draft
- `growing_draft`: a draft that is shown while it is written
- `growing_text`: the claims of an unfinished answer
- `shown_answer`: the part of an answer that its caller already has
- `markdown_habits`: Markdown that a model writes into a block

By rule:

- `answer_by_rules`: the answer without a writer
- `passages`: the part of a chunk that such an answer shows

Checked. `answer_markdown` makes the Markdown of the blocks that pass; start there:

- `blocks`: an answer as data
- `claim_check`: each block, kept or removed
- `claim_markdown`: claims as blocks of Markdown
- `quotations`: the words that a block quotes, and their places in chunks
- `grounds`: the texts that support a claim
- `admissions`: sentences about missing information
- `ids`: ids of chunks in running text
- `sources`: the texts by which chunks are cited, and the list of sources below an answer
- `frame`: the missing points below a model's answer
- `markdown`: blocks as Markdown that shows their text literally
"""
