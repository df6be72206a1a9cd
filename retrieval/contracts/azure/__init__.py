"""Azure AI Search's contracts: one package a version, and what all versions share.

v2025_05_01_preview   knowledge agents
parts        reading JSON bodies        conditions   headers of a write        errors   the error envelope
"""
