"""Tests of `retrieval/models`.

Modules without a file of their own here, and the file that holds their tests:

- chat_completions: scenarios/failures/test_planning.py
- chat_server: scenarios/local_model/test_differences.py
- completion: scenarios/failures/test_streamed_plans.py
- local_completions: scenarios/local_model/test_differences.py
- over_aiohttp: scenarios/failures/test_planning.py
"""
