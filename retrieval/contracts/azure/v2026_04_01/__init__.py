"""Knowledge bases, api-version 2026-04-01.

- `definitions`: Their definitions, and those of knowledge sources
"""
