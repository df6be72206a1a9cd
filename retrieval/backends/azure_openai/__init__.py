"""Azure OpenAI.

chat_completions   a chat model: chat completions with a strict JSON schema
completion         the answer, as one JSON or as events
response           reads the body while it comes
lacks              its answers that are about the deployment
over_aiohttp       how the `openai` package sends its requests
"""
