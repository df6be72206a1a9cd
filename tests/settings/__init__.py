"""Tests of `retrieval/settings`.

Modules without a file of their own here, and the file that holds their tests:

- environment: settings/test_settings.py
- misspelt_names: settings/test_misspelt_settings.py
- shapes: settings/test_settings.py
"""
