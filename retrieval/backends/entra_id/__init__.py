"""Microsoft Entra ID.

key_document   the keys that tokens are signed with, over HTTP
"""
