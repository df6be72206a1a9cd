"""Tests of `retrieval/local/evaluation`, on a small collection of their own.

Modules without a file of their own here, and the file that holds their tests:

- arguments: local/evaluation/test_command.py
- evaluate: local/evaluation/test_command.py
- limits: local/evaluation/test_gate.py
- page: local/evaluation/test_command.py
- replies: local/evaluation/test_runs.py
- results: local/evaluation/test_gate.py
- summary: local/evaluation/test_command.py
- trec: local/evaluation/test_command.py
"""
