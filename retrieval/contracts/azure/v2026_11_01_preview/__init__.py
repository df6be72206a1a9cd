"""Knowledge bases, api-version 2026-11-01-preview: retrieve, and definitions. Provisional: no specification is public.

- `retrieve`: The request into the hub, and the answer out of it
- `definitions`: The definitions, and those of knowledge sources
- `events`: The answer as server-sent events
"""
