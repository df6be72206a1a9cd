"""Alibaba Cloud Model Studio.

- `index`: a knowledge base as a search index
- `request`: a signed call of the operation Retrieve
- `response`: reads the answers to Retrieve
"""
