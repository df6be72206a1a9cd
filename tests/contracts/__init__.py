"""Tests of `retrieval/contracts`.

Modules without a file of their own here, and the file that holds their tests:

- doctor: doctor/test_route.py
- health: http/monitoring/test_health.py
- protected_resource: access/test_protected_resource.py
- rendered: contracts/azure/test_published_examples.py
- retry_after: scenarios/failures/test_statuses.py
- server_sent_events: http/test_delivery.py
- version_gate: http/test_unknown_versions.py
"""
