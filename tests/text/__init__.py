"""Tests of `retrieval/text`.

Modules without a file of their own here, and the file that holds their tests:

- normal_form: text/test_quotations.py
- brackets: writing/test_answer_markdown.py
- content_words: writing/test_passages.py
- strict_json: scenarios/hostile/test_bounds.py
- length: retrieve/test_chunks.py
"""
