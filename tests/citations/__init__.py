"""Tests of `retrieval/citations`.

Modules without a file of their own here, and the file that holds their tests:

- admissions: citations/test_replies.py
- blocks: citations/test_written_answer.py
- claim_check: citations/test_written_answer.py
- drawing: citations/test_written_answer.py
- figures: citations/test_written_answer.py
- frame: rules/test_answer_by_rules.py
- grounds: citations/test_written_answer.py
- growing_text: call/test_streamed_answers.py
- quotations: citations/test_written_answer.py
"""
