"""Tests of `retrieval/outgoing`.

Modules without a file of their own here, and the file that holds their tests:

- access_tokens: compose/test_identity.py
- bodies: scenarios/failures/test_streamed_plans.py
- connections: scenarios/failures/test_hanging_targets.py
- breakers_and_retries: scenarios/failures/test_hanging_targets.py
- over_aiohttp: outgoing/test_redirects.py
"""
