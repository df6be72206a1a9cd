"""Tests of `retrieval/model`.

Modules without a file of their own here, and the file that holds their tests:

- activity: call/test_merge_and_ground.py
- answer: rules/test_answer_by_rules.py
- caller: access/test_what_is_told.py
- conversation: steps/test_prompts.py
- definitions: http/test_agents.py
- document_paths: scenarios/indexes/test_complex_fields.py
- etags: backends/definitions/test_stores.py
- finding: doctor/test_command.py
- json_value: steps/test_prompts.py
- mcp_hosts: backends/mcp_server/test_hosts.py
- mcp_server: backends/mcp_server/test_calls.py
- progress: call/test_streamed_answers.py
- prompt: steps/test_prompts.py
- query_hints: steps/test_plan_hints.py
- retrieval: steps/test_plan.py
- search: call/test_merge_and_ground.py
"""
