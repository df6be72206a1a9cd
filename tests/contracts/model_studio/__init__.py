"""Tests of `retrieval/contracts/model_studio`.

Modules without a file of their own here, and the file that holds their tests:

- contract: contracts/model_studio/test_answers.py
- description: contracts/model_studio/test_openapi.py
- errors: contracts/model_studio/test_parameters.py
- index_filter: contracts/model_studio/test_search_filters_laws.py
- published_shape: contracts/model_studio/test_settings.py
- refusals: contracts/model_studio/test_signatures.py
- room: contracts/model_studio/test_answers.py
- workspaces: contracts/model_studio/test_settings.py
"""
