"""Knowledge agents over knowledge sources, api-version 2025-08-01-preview: retrieve, and definitions.

- `retrieve`: Reads the request, and renders the answer
- `definitions`: The definitions of agents and of knowledge sources
- `kinds`: The kinds of knowledge sources that this version has
"""
