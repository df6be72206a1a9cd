"""Tests of `retrieval/contracts/model_studio`.

Modules without a file of their own here, and the file that holds their tests:

- address: contracts/model_studio/test_answers.py
- description: openapi/test_retrieve.py
- errors: contracts/model_studio/test_parameters.py
- locations: contracts/model_studio/test_parameters.py
- request: contracts/model_studio/test_parameters.py
- response: contracts/model_studio/test_fuzz.py
"""
