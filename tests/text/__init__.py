"""Tests of `retrieval/text`.

Modules without a file of their own here, and the file that holds their tests:

- addresses: citations/test_check_laws.py
- normal_form: text/test_quotations.py
- brackets: citations/test_answer_markdown.py
- clipped: steps/test_plan.py
- content_words: rules/test_passages.py
- strict_json: filters/searchfilters/test_read.py
- tokens: call/test_chunks.py
- plain_text: steps/test_route.py
- unspaced: rules/test_facet_preferences.py
"""
