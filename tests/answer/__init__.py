"""Tests of `retrieval/answer`.

Modules without a file of their own here, and the file that holds their tests:

- answer_chunks: answer/test_answers.py
- reading: answer/test_answers.py
- rounds: answer/test_answers.py
- route_by_rules: answer/test_route.py
- second_plan: answer/test_second_round.py
- second_round: answer/test_second_round.py
"""
