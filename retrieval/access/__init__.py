"""Who calls, and what they may.

rights        the one table: what each route needs, what each credential gives
admission     the credentials of a deployment, tried in their order: `Access.admit`
keys          API keys
entra         bearer tokens of Microsoft Entra ID; it alone imports the JWT library
signing_keys  the keys that tokens are signed with: kept, refreshed, never asked for twice at once
principal     the header of App Service authentication
models        which chat models an agent may name
imposed       the filters that a deployment puts below everything a caller sends
"""
