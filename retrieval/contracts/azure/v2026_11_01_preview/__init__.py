"""Knowledge bases, api-version 2026-11-01-preview: retrieve, and definitions. The version is provisional, because its
specification is not public.

- `retrieve`: Reads the request, and renders the answer
- `definitions`: The definitions of knowledge bases and of knowledge sources
- `events`: The answer as server-sent events
"""
