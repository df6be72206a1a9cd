"""Tests of `retrieval/text`.

Modules without a file of their own here, and the file that holds their tests:

- addresses: answering/citations/test_check_laws.py
- as_read: text/test_quotations.py
- clipped: engine/test_plan.py
- content_words: answering/test_passages.py
- distinct_texts: engine/test_chunks.py
- json_bounds: http/test_agents.py
- normal_form: text/test_near_duplicates.py
- plain_text: answering/test_route.py
- several_questions: engine/test_plan.py
- strict_json: filters/searchfilters/test_read.py
- timestamps: contracts/azure/test_answers.py
- tokens: engine/test_chunks.py
"""
