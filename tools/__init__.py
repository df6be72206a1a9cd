"""Programs that write files of this project, or help to deploy it. They are not deployed.

- `alert_email`: asks where alerts go, before azd provisions
- `openapi`: writes the OpenAPI document
- `release`: makes a checkout the version of a tag
- `settings_files`: writes the files that name every setting
"""
