"""Tests of `retrieval/answering`.

Modules without a file of their own here, and the file that holds their tests:

- draft: answering/test_workflow.py
- retrieve: scenarios/sources/test_sources.py
- second_round: answering/test_second_plan.py
"""
