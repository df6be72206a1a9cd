"""The name of an agent, one rule for routes, definitions, stores and logs."""

import re
from typing import Final

PATTERN: Final = "^[a-z0-9_-]{1,128}$"
"""1 to 128 lower-case letters, digits, `-` and `_`."""

_NAME: Final = re.compile(PATTERN.strip("^$"))


def is_name(text: str) -> bool:
    """Whether an agent can be called that."""
    return _NAME.fullmatch(text) is not None
