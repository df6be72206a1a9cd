"""What stands in for Azure's models.

- `hashed_embeddings`: `hashed-v1`: what stands in for an embedding model
- `lexical_ranker`: `lexical-v1`: what stands in for the semantic ranker
"""
