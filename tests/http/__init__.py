"""Tests of `retrieval/http`.

Modules without a file of their own here, and the file that holds their tests:

- answer: http/test_chunked_bodies.py
- rooms: http/test_addresses.py
- monitoring: http/monitoring/test_health.py
- retrieve: http/test_addresses.py
- routes: access/test_rights.py
- service: definitions/test_two_instances.py
- serving: http/test_chunked_bodies.py
"""
