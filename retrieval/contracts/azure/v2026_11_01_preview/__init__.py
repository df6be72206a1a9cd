"""Knowledge bases, api-version 2026-11-01-preview: retrieve, and definitions. Provisional: no specification is public.

- `retrieve`: Reads the request, and renders the answer
- `definitions`: The definitions, and those of knowledge sources
- `events`: The answer as server-sent events
"""
