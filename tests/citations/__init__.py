"""Tests of `retrieval/citations`.

Modules without a file of their own here, and the file that holds their tests:

- admissions: citations/test_replies.py
- blocks: citations/test_answer_markdown.py
- claim_check: citations/test_answer_markdown.py
- claim_markdown: citations/test_answer_markdown.py
- frame: rules/test_answer_by_rules.py
- grounds: citations/test_answer_markdown.py
- growing_text: call/test_streamed_answers.py
- quotations: citations/test_answer_markdown.py
"""
