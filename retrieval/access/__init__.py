"""Who calls, and what they may.

rights        what each operation needs, what each credential gives
credentials   the credentials of a deployment, tried in their order: `Access.admit`; and the token of a user
keys          API keys
entra         bearer tokens of Microsoft Entra ID; it alone imports the JWT library
signing_keys  the keys that tokens are signed with: kept, refreshed, never asked for twice at once
app_service   the header of App Service authentication
models        which chat models an agent may name
imposed       the filters that a deployment adds to every search of a caller
limits        how often a key, a role or an application may ask

- `acs3`: Alibaba Cloud's request signature, version 3: ACS3-HMAC-SHA256, as the SDKs of Python, Node and others
  compute it
- `hosts`: The Host of a call, where keys that everybody knows are accepted, and its Origin, which browsers add
- `protected_resource`: Where clients that sign in find the tenant: OAuth 2.0 protected resource metadata of MCP's
  addresses
"""
