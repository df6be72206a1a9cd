"""Tests of `retrieval/answer`.

Modules without a file of their own here, and the file that holds their tests:

- reading: answer/test_answers.py
- rounds: answer/test_answers.py
- second_round: answer/test_second_round.py
"""
