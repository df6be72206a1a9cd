"""Tests of `retrieval/backends`.

Modules without a file of their own here, and the file that holds their tests:

- azure_openai/chat_completions: scenarios/failures/test_planning.py
- azure_openai/chat_server: scenarios/local_model/test_differences.py
- azure_openai/completion: scenarios/failures/test_streamed_plans.py
- azure_openai/setup_faults: scenarios/failures/test_what_is_lacking.py
- azure_openai/local_completions: scenarios/local_model/test_differences.py
- azure_openai/over_aiohttp: scenarios/failures/test_planning.py
- azure_openai/refusals: scenarios/outages/test_causes.py
- azure_openai/response: scenarios/failures/test_streamed_plans.py
- azure_openai/visible_text: scenarios/local_model/test_differences.py
- azure_search/body: scenarios/failures/test_published_index.py
- azure_search/client: scenarios/failures/test_subqueries.py
- azure_search/definition: call/test_answers_filters.py
- azure_search/definition_cache: scenarios/indexes/test_changes.py
- azure_search/facets: scenarios/sources/test_facets.py
- azure_search/failures: scenarios/failures/test_subqueries.py
- azure_search/index: scenarios/failures/test_published_index.py
- azure_search/over_aiohttp: scenarios/failures/test_subqueries.py
- bodies: scenarios/failures/test_streamed_plans.py
- breaker: scenarios/failures/test_hanging_targets.py
- connections: scenarios/failures/test_hanging_targets.py
- azure_search/page: scenarios/failures/test_accounting.py
- event_streams: backends/mcp_server/test_hostile.py
- entra_id/key_document: access/test_signing_keys.py
- plain_http: doctor/test_upstream.py
- access_tokens: doctor/test_each_fault.py
- federated: scenarios/federation/test_federation.py
- guarded: scenarios/failures/test_hanging_targets.py
- over_aiohttp: doctor/test_upstream.py
- retries: scenarios/federation/test_model_studio.py
"""
