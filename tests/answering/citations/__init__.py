"""Tests of `retrieval/answering/citations`.

Modules without a file of their own here, and the file that holds their tests:

- admissions: answering/citations/test_replies.py
- blocks: answering/citations/test_check.py
- founded: answering/citations/test_check.py
- frame: answering/test_matches.py
- grounds: answering/citations/test_check.py
- quotations: answering/citations/test_check.py
"""
