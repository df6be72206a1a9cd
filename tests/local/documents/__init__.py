"""Tests of `retrieval/local/documents`.

Modules without a file of their own here, and the file that holds their tests:

- asciidoc: local/documents/test_kinds.py
- asciidoc_tables: local/documents/test_kinds.py
- azure_index: local/documents/test_loading.py
- calendars: local/documents/test_kinds.py
- command: local/documents/test_loading.py
- converters: local/documents/test_reading.py
- dates: local/documents/test_facts.py
- drawn: local/documents/test_word.py
- embeddings: local/documents/test_loading.py
- fields: local/documents/test_kinds.py
- formulas: local/documents/test_kinds.py
- footnotes: local/documents/test_hypertext.py
- front_matter: local/documents/test_facts.py
- headers: local/documents/test_records.py
- mail: local/documents/test_kinds.py
- markup: local/documents/test_reading.py
- mdx: local/documents/test_markdown.py
- notebooks: local/documents/test_kinds.py
- numerals: local/documents/test_word.py
- opendocument: local/documents/test_kinds.py
- packed: local/documents/test_kinds.py
- parts: local/documents/test_reading.py
- pdf_forms: local/documents/test_pdf.py
- restructured: local/documents/test_kinds.py
- sheets: local/documents/test_kinds.py
- subtitles: local/documents/test_kinds.py
- summary: local/documents/test_reading.py
- tables: local/documents/test_hypertext.py
- titles: local/documents/test_pdf.py
- unseen: local/documents/test_hypertext.py
- word_lists: local/documents/test_word.py
"""
