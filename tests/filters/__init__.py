"""Tests of `retrieval/filters`.

Modules without a file of their own here, and the file that holds their tests:

- bind: filters/test_refusal.py
- evaluate: filters/test_laws.py
- moment: filters/test_tree.py
- odata/grammar: filters/test_refusal.py
- odata/operands: filters/test_refusal.py
- odata/writer: filters/test_laws.py
- patterns: scenarios/hostile/test_bounds.py
- schema: filters/test_hostile_input.py
- values: filters/test_tree.py
"""
