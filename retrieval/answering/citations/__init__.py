"""What an answer may keep. `check` is the way in: it takes blocks, and makes Markdown of those that hold.

blocks       an answer as data
grounds      what it may rest on; `admissions`: whether it says that something is missing
addresses    which addresses a text has
markdown     blocks as Markdown that shows their text and does nothing else
"""
