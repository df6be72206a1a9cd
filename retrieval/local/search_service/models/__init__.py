"""What makes vectors and what ranks: replacements for Azure's models that need none, and models of this machine.

- `ports`: What an embedding model and a ranker are here, and the error of one that fails
- `wanted`: Which models a service has, by name: opened once
- `hashed_embeddings`: `hashed-v1`: replaces an embedding model
- `lexical_ranker`: `lexical-v1`: replaces the semantic ranker
- `remembered`: An embedding model whose vectors are kept by the text's hash
- `fastembed_models`: Embedding models and cross-encoders that run here, with the extra `models`
- `endpoint_embeddings`: Any endpoint that speaks OpenAI's embeddings
- `mixed_ranker`: The ranker beside an embedding model: words and meaning together
"""
