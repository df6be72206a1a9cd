"""The version of this service, and the user agent with which it calls other services. pyproject.toml has the same
version.

The deployed app has no package metadata from which to read the version.
https://www.rfc-editor.org/rfc/rfc9110#name-user-agent
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

SERVICE: Final = "agentic-retrieval-functions"
VERSION: Final = "0.1.0"
USER_AGENT: Final = f"{SERVICE}/{VERSION}"

COMMIT_FILE: Final = "commit.txt"
"""Beside this module where a commit was deployed rather than a release: azure.yaml has it written before packaging."""


@cache
def running(folder: Path = Path(__file__).parent) -> str:
    """The version that runs: that of a release, or of a commit after it, such as 0.1.0+g91118144."""
    try:
        commit = (folder / COMMIT_FILE).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return VERSION
    return f"{VERSION}+g{commit}" if re.fullmatch("[0-9a-f]{7,40}", commit) else VERSION
