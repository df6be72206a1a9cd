"""An answer that streams, beside the same in one body and the streaming chains of LangChain and LlamaIndex.

- `upstream`: an index, and a model that writes 60 tokens a second
- `langchain_chain`, `llamaindex_chain`: one call that plans, a search, and an answer that streams, without any check
"""
