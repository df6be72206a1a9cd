"""Knowledge bases, api-version 2026-10-01: retrieve, and definitions.

- `retrieve`: Reads the request, and renders the answer
- `definitions`: The definitions of knowledge bases and of knowledge sources
- `kinds`: The kinds of knowledge sources that this version has
- `events`: The answer as server-sent events
"""
