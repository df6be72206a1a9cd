"""Tests of `retrieval/writing`.

Modules without a file of their own here, and the file that holds their tests:

- citation_check: writing/test_answer_markdown.py
- claim_support: writing/test_answer_markdown.py
- shown_draft: retrieve/test_synthesis.py
"""
