"""Azure OpenAI.

chat_completions   a chat model: chat completions with a strict JSON schema
completion         reading its answer, whole or as it is written
over_aiohttp       how the `openai` package sends its requests
"""
