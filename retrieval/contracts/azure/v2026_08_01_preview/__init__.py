"""Knowledge bases, api-version 2026-08-01-preview: retrieve, and definitions.

- `retrieve`: Reads the request, and renders the answer
- `definitions`: The definitions of knowledge bases and of knowledge sources
- `events`: The answer as server-sent events
"""
