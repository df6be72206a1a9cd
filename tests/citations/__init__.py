"""Tests of `retrieval/citations`.

Modules without a file of their own here, and the file that holds their tests:

- admissions: citations/test_replies.py
- blocks: citations/test_check.py
- claims: citations/test_check.py
- drawing: citations/test_check.py
- figures: citations/test_check.py
- frame: rules/test_answer_by_rules.py
- grounds: citations/test_check.py
- growing_text: call/test_streamed_answers.py
- quotations: citations/test_check.py
"""
