"""Azure OpenAI, and the servers on a developer's machine that speak its protocol.

- `chat_completions`: calls a chat model with a strict JSON schema
- `local_completions`: calls the chat server of CHAT_URL with the same client
- `chat_server`: the differences of such servers, and what is known of the one that is called
- `completion`: reads an answer while it arrives, as one JSON object or as events; the reasons why a model refuses
- `over_aiohttp`: sends the requests of the `openai` package
"""
