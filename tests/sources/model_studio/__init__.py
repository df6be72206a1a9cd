"""Tests of `retrieval/sources/model_studio`.

Modules without a file of their own here, and the file that holds their tests:

- checks: doctor/test_model_studio_bases.py
- base: sources/model_studio/test_settings.py
- base_shape: sources/model_studio/test_settings.py
- definition: http/test_definitions.py
- room: scenarios/federation/test_model_studio.py
- response: scenarios/federation/test_model_studio.py
"""
