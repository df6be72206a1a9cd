"""Knowledge bases, api-version 2026-05-01-preview.

- `definitions`: Their definitions, and those of knowledge sources
"""
