"""Azure AI Search's contracts: one module a version, and in `parts` and `errors` what all versions share."""
