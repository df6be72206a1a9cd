"""Tests of `retrieval/retrieve/plan`.

Modules without a file of their own here, and the file that holds their tests:

- plan_by_rules: retrieve/plan/test_plan_by_model.py
- plan_limits: retrieve/plan/test_plan_by_model.py
- planning: scenarios/failures/test_planning.py
"""
