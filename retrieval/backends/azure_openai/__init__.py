"""Azure OpenAI.

chat_completions   a chat model: chat completions with a strict JSON schema
"""
