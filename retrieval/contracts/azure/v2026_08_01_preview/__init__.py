"""Knowledge bases, api-version 2026-08-01-preview.

- `definitions`: Their definitions, and those of knowledge sources
"""
