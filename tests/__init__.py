"""Tests of the product.

Modules without a file of their own here, and the file that holds their tests:

- errors: access/test_what_is_told.py
- ports: definitions/test_stores.py
"""
