"""Knowledge bases, api-version 2025-11-01-preview.

- `definitions`: Their definitions, and those of knowledge sources
"""
