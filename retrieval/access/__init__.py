"""Identifies callers, and checks their rights and limits.

- `credentials`: API keys, and the rights that each credential gives. `Access.admit` tries the credentials of a call in
  a fixed order; `user_token_of` reads the token of the user for whom a caller asks; the header of App Service
  authentication
- `entra`: bearer tokens of Microsoft Entra ID, and the keys that sign them; only this module imports the JWT library
- `allowed_models`: the chat models that an agent may use
- `imposed_filters`: the filters that a deployment adds to every search of a caller
- `rate_limits`: the number of calls that a caller, a role, a scope or an application may make
"""
