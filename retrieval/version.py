"""The version of this service, and the user agent with which it calls other services. pyproject.toml has the same
version.

The deployed app has no package metadata from which to read the version.
https://www.rfc-editor.org/rfc/rfc9110#name-user-agent
"""

from typing import Final

SERVICE: Final = "agentic-retrieval-functions"
VERSION: Final = "0.1.0"
USER_AGENT: Final = f"{SERVICE}/{VERSION}"
