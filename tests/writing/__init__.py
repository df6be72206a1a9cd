"""Tests of `retrieval/writing`.

Modules without a file of their own here, and the file that holds their tests:

- claim_check: writing/test_answer_markdown.py
- frame: writing/test_answer_by_rules.py
- grounds: writing/test_answer_markdown.py
- growing_draft: answer/test_streamed_answers.py
- writing: retrieve/test_synthesis.py
"""
