"""Tests of `retrieval/retrieve`.

Modules without a file of their own here, and the file that holds their tests:

- grounding: retrieve/search/test_merge_and_ground.py
- retrieve_documents: scenarios/failures/test_what_is_away.py
"""
