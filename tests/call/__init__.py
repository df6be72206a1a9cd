"""Tests of `retrieval/call`.

Modules without a file of their own here, and the file that holds their tests:

- budget: call/test_workflow_troubles.py
- draft: call/test_workflow.py
- ground: call/test_merge_and_ground.py
- head_start: scenarios/failures/test_streamed_plans.py
- hinted_search: scenarios/sources/test_query_hints.py
- judging: call/test_workflow.py
- merge: call/test_merge_and_ground.py
- planning: scenarios/failures/test_planning.py
- preferences: scenarios/sources/test_facets.py
- records: call/test_merge_and_ground.py
- retrieve: scenarios/failures/test_what_is_away.py
- retrieve_and_answer: scenarios/sources/test_sources.py
- rounds: call/test_workflow.py
- search: call/test_workflow_filters.py
- selection: call/test_workflow.py
- waiting: scenarios/failures/test_late_searches.py
"""
