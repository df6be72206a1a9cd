"""The versions of Azure AI Search's contracts: one module for each row of the table in `contracts.served_versions`.
Each has its `VERSION`, and none imports another.
"""
