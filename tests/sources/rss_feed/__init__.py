"""An RSS feed as a source: the whole folder of a new kind, as it would stand in `retrieval/sources/`.

- `definition`: the parameters of a source, its records and its references
- `room`: what a deployment has of it
- `search`: reads the feed
"""
