"""Microsoft Entra ID.

- `key_document`: reads the public keys that verify tokens, over HTTP
"""
