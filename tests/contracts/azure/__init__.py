"""Tests of `retrieval/contracts/azure`.

Modules without a file of their own here, and the file that holds their tests:

- pages: http/test_listing.py
- precondition_headers: http/test_agents.py
- errors: contracts/azure/test_bad_input.py
- request_body: contracts/azure/test_bad_input.py
- definition_members: http/test_definitions.py
- definition_shapes: http/test_definitions.py
- source_shapes: http/test_definitions.py
- definitions: http/test_definitions.py
- retrieve/responses: contracts/azure/test_answers.py
- retrieve/requests: contracts/azure/test_requests.py
- retrieve/events: scenarios/failures/test_events.py
- retrieve/record_shapes: contracts/azure/test_answers.py
- retrieve/request_shapes: contracts/azure/test_refusals.py
- retrieve/response_shapes: contracts/azure/test_answers.py
- version: contracts/azure/test_members_by_version.py
- versions: contracts/azure/test_goldens.py
"""
