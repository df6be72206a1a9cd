"""Tests of `retrieval/text`.

Modules without a file of their own here, and the file that holds their tests:

- addresses: citations/test_check_laws.py
- as_read: text/test_quotations.py
- clipped: steps/test_plan.py
- content_words: rules/test_passages.py
- distinct_texts: call/test_chunks.py
- json_bounds: http/test_agents.py
- normal_form: text/test_near_duplicates.py
- plain_text: steps/test_route.py
- several_questions: steps/test_plan.py
- strict_json: filters/searchfilters/test_read.py
- timestamps: contracts/azure/test_answers.py
- tokens: call/test_chunks.py
"""
