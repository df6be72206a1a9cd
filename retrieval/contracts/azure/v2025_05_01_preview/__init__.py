"""Knowledge agents, api-version 2025-05-01-preview: retrieve, and the definitions of agents.

- `definitions`: The agent definition: a chat model, the target with its defaults, and the limits of a request
- `retrieve`: Reads the request, and renders the answer
"""
