"""Azure OpenAI.

- `chat_completions`: calls a chat model with a strict JSON schema
- `completion`: reads an answer, as one JSON object or as events
- `response`: reads the response body while it arrives
- `lacks`: the answers that report a fault in this service's setup
- `over_aiohttp`: sends the requests of the `openai` package
"""
