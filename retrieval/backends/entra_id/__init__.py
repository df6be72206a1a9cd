"""Microsoft Entra ID.

- `key_document`: reads the keys that sign tokens, over HTTP
"""
