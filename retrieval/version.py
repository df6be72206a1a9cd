"""The version of this service, and the name under which it calls others. pyproject.toml has the same version.

The deployed app has no metadata of the package to read it from. https://www.rfc-editor.org/rfc/rfc9110#name-user-agent
"""

from typing import Final

SERVICE: Final = "agentic-retrieval-functions"
VERSION: Final = "0.1.0"
USER_AGENT: Final = f"{SERVICE}/{VERSION}"
