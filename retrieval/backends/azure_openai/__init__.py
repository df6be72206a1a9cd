"""Azure OpenAI.

chat_completions   a chat model: chat completions with a strict JSON schema
over_aiohttp       how the `openai` package sends its requests
"""
