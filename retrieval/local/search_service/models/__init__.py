"""Local replacements for Azure's models.

- `hashed_embeddings`: `hashed-v1`: replaces an embedding model
- `lexical_ranker`: `lexical-v1`: replaces the semantic ranker
"""
