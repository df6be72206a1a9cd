"""Tests of `retrieval/local/search_service/text/lexical`.

Modules without a file of their own here, and the file that holds their tests:

- analyzer_kinds: local/search_service/text/lexical/test_parts.py
- ascii_folding: local/search_service/text/lexical/test_parts.py
- chain: local/search_service/text/lexical/test_searching.py
- char_filters: local/search_service/text/lexical/test_parts.py
- definition: local/search_service/text/lexical/test_definitions.py
- grams: local/search_service/text/lexical/test_parts.py
- html: local/search_service/text/lexical/test_parts.py
- java_pattern: local/search_service/text/lexical/test_regular_expressions.py
- kinds: local/search_service/text/lexical/test_definitions.py
- limits: local/search_service/text/lexical/test_regular_expressions.py
- predefined: local/search_service/text/lexical/test_parts.py
- read_text: local/search_service/text/lexical/test_parts.py
- removing: local/search_service/text/lexical/test_parts.py
- replacing: local/search_service/text/lexical/test_parts.py
- stemming: local/search_service/text/lexical/test_parts.py
- synonym_filter: local/search_service/text/lexical/test_parts.py
- token_filter_kinds: local/search_service/text/lexical/test_parts.py
- token_filters: local/search_service/text/lexical/test_parts.py
- tokenizer_kinds: local/search_service/text/lexical/test_parts.py
- tokenizers: local/search_service/text/lexical/test_parts.py
"""
