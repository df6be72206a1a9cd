"""Tests of `retrieval/model`.

Modules without a file of their own here, and the file that holds their tests:

- activity: retrieve/search/test_merge_and_ground.py
- answer: writing/test_answer_by_rules.py
- caller: access/test_what_is_told.py
- conversation: call/test_prompts.py
- definitions: http/test_agents.py
- precondition: definitions/test_laws.py
- progress: answer/test_streamed_answers.py
- finding: scenarios/outages/test_runbook.py
- json_value: call/test_prompts.py
- tools: sources/mcp_server/test_calls.py
- retrieval: retrieve/plan/test_plan_by_model.py
- search: retrieve/search/test_merge_and_ground.py
"""
