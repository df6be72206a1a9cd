"""Tests of `retrieval/local/search_service/api`.

Modules without a file of their own here, and the file that holds their tests:

- get_search: local/search_service/query/test_options.py
- paging: local/search_service/query/test_options.py
- preparing: local/search_service/models/test_models_in_service.py
- reranking: local/search_service/models/test_models_in_service.py
- responses: local/search_service/api/test_access_and_routes.py
- routes: local/search_service/api/test_access_and_routes.py
- scripted: local/search_service/api/test_access_and_routes.py
- searching: local/search_service/engine/test_searching.py
- service: local/search_service/api/test_access_and_routes.py
- versions: local/search_service/api/test_management.py
"""
