"""Tests of `retrieval/call`.

Modules without a file of their own here, and the file that holds their tests:

- fitting: scenarios/local_model/test_context.py
- model_calls: call/test_answers_troubles.py
- retrieve_documents: scenarios/failures/test_what_is_away.py
- growing_draft: call/test_streamed_answers.py
- document_languages: scenarios/test_languages.py
- grounding_text: call/test_merge_and_ground.py
- reading: call/test_answers.py
- merge: call/test_merge_and_ground.py
- planning: scenarios/failures/test_planning.py
- preferences: scenarios/sources/test_facets.py
- records: call/test_merge_and_ground.py
- run: scenarios/failures/test_what_is_away.py
- rounds: call/test_answers.py
- subqueries: call/test_answers_filters.py
- searching: call/test_answers.py
- second_round: call/test_second_round.py
- servers: scenarios/mcp_servers/test_retrieve.py
- answer_chunks: call/test_answers.py
- shown_answer: call/test_streamed_answers.py
- writing: call/test_synthesis.py
"""
