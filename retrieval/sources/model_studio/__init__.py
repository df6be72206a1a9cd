"""Alibaba Cloud Model Studio.

- `definition`: the parameters of a source, its records and its references
- `room`: what a deployment has of it: the knowledge bases and the access key of its settings
- `search`: searches knowledge bases as a SearchIndex, by signed calls of the operation Retrieve
- `search_filters`: writes a filter tree as SearchFilters
- `checks`: the checks of the doctor
- `settings`: the settings of the deployment
- `base_shape`: the shape of a member of `MODEL_STUDIO_BASES`
- `base`: a base, and how its scores relate to those of a reranker
- `response`: reads the answers to Retrieve
"""
