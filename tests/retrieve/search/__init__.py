"""Tests of `retrieval/retrieve/search`.

Modules without a file of their own here, and the file that holds their tests:

- merge: retrieve/search/test_merge_and_ground.py
- searching: answer/test_answers.py
"""
