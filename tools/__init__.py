"""Programs that write files of this project. They are not deployed.

- `openapi`: writes the OpenAPI document
"""
