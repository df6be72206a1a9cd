"""Tests of `retrieval/model`.

Modules without a file of their own here, and the file that holds their tests:

- activity: engine/test_merge_and_ground.py
- answer: answering/test_matches.py
- chunk: engine/test_chunks.py
- caller: access/test_what_is_told.py
- conversation: engine/test_prompts.py
- definitions: http/test_agents.py
- etags: backends/definitions/test_stores.py
- evidence: engine/test_judge.py
- facets: engine/test_facets.py
- finding: doctor/test_command.py
- json_value: engine/test_prompts.py
- model_studio_scores: model/test_model_studio_base.py
- most_subqueries: engine/test_plan.py
- plan: engine/test_plan.py
- prompt: engine/test_prompts.py
- query_hints: engine/test_plan_hints.py
- retrieval: engine/test_plan.py
- search: engine/test_merge_and_ground.py
- steps: answering/test_workflow.py
"""
