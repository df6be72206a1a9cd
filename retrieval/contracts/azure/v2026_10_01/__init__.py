"""Knowledge bases, api-version 2026-10-01: retrieve, and definitions.

- `retrieve`: Reads the request, and renders the answer
- `definitions`: The definitions, and those of knowledge sources
- `kinds`: The kinds of knowledge sources that it has
- `events`: The answer as server-sent events
"""
