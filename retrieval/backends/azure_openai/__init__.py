"""Azure OpenAI.

chat_completions   a chat model: chat completions with a strict JSON schema
completion         reading its answer, whole or as it is written
lacks              its answers that are about the deployment
over_aiohttp       how the `openai` package sends its requests
"""
