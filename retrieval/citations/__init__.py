"""What an answer may keep. Start at `check`: it takes blocks, and makes Markdown of those that pass.

blocks       an answer as data
claims       each block, kept or removed    drawing   claims as blocks of Markdown
growing_text   the same while an answer is written
quotations   what a block quotes, and where it stands
figures      are the figures of a claim those of its chunks?
grounds      what supports it; `admissions`: does it say that something is missing?
addresses    which addresses a text has
ids          ids of chunks in running text
sources      what cites a chunk, and the list of sources below an answer
frame        what is missing, below a model's answer
markdown     blocks as Markdown that shows their text and does nothing else
"""
