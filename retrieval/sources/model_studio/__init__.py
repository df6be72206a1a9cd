"""Alibaba Cloud Model Studio.

- `index`: searches knowledge bases as a SearchIndex
- `request`: a signed call of the operation Retrieve
- `response`: reads the answers to Retrieve
"""
