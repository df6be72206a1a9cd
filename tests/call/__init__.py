"""Tests of `retrieval/call`.

Modules without a file of their own here, and the file that holds their tests:

- ports: scenarios/failures/test_late_searches.py
- budget: scenarios/failures/test_what_is_away.py
- model_calls: scenarios/failures/test_what_is_away.py
"""
