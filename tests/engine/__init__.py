"""Tests of `retrieval/engine`.

Modules without a file of their own here, and the file that holds their tests:

- activity: engine/test_merge_and_ground.py
- hinted_search: scenarios/sources/test_query_hints.py
- ground: engine/test_merge_and_ground.py
- model_calls: answering/test_workflow_troubles.py
- pipeline: scenarios/failures/test_what_is_away.py
- head_start: scenarios/failures/test_streamed_plans.py
- planning: scenarios/failures/test_planning.py
- judging: answering/test_workflow.py
- waiting: scenarios/failures/test_late_searches.py
- plan_by_rules: engine/test_plan.py
- replies: engine/test_judge.py
- preferences: scenarios/sources/test_facets.py
- rounds: answering/test_workflow.py
- search: answering/test_workflow_filters.py
- selection: answering/test_workflow.py
"""
