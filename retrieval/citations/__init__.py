"""Checks the claims of an answer, and writes its Markdown. Start at `answer_markdown`, which makes the Markdown of the
blocks that pass.

blocks          an answer as data
claim_check     each block, kept or removed
claim_markdown  claims as blocks of Markdown
growing_text    the claims of an unfinished answer
quotations      the words that a block quotes, and their places in chunks
grounds         the texts that support a claim
admissions      sentences about missing information

ids             ids of chunks in running text
sources         the texts by which chunks are cited, and the list of sources below an answer
frame           the missing points below a model's answer
markdown        blocks as Markdown that shows their text literally
"""
