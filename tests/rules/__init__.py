"""Tests of `retrieval/rules`.

Modules without a file of their own here, and the file that holds their tests:

- beside_a_plan: scenarios/failures/test_beside_a_plan.py
- plan_by_rules: steps/test_plan.py
- route_by_rules: steps/test_route.py
- tool_arguments: steps/test_tool_calls.py
"""
