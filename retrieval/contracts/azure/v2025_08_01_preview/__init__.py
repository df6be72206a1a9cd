"""Knowledge agents over knowledge sources, api-version 2025-08-01-preview.

- `definitions`: Their definitions, and those of knowledge sources
"""
