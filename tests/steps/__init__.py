"""Tests of `retrieval/steps`.

Modules without a file of their own here, and the file that holds their tests:

- fences: call/test_chunks.py
- second_plan: call/test_second_round.py
- shown_conversation: steps/test_prompts.py
"""
