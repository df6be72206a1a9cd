"""The check of what is deployed: Bicep, azure.yaml, workflows. Nothing here needs Azure, or is deployed.

Parsed by tree-sitter, evaluated by `evaluate` in every `scenario`, held against the published management models
(`shapes`), our own rules (`policy`, `names`) and what the compiler warns of (`compiler`). What this cannot show, only a
deployment can: names that are taken, quotas, regions without a feature, and what Azure itself refuses.
"""
