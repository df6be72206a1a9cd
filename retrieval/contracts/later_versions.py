"""Finds the known version to use where a caller asks for a later, unknown version. No other module compares the dates
of versions.

A client may ask for a version that is newer than this service. A later version of Azure's API usually only adds
members. So the newest known version of the same sort, GA or preview, is the best substitute.
"""

import re
from collections.abc import Collection
from datetime import date
from typing import Final

SERVED: Final = "api-version-served"
"""The response header with the version of the answer. It is sent if the caller asked for another version."""

_FORM: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2})(-preview)?"


def served_as(version: str, known_versions: Collection[str]) -> str | None:
    """The newest known version of the same sort, GA or preview, if `version` is later than all known versions.

    None for any other version or text, and if no known version is of the same sort.
    """
    match = re.fullmatch(_FORM, version, re.IGNORECASE)
    if match is None or not _is_date(match[1]) or match[1] <= max(version_text[:10] for version_text in known_versions):
        return None
    return max((version_text for version_text in known_versions if len(version_text) == len(version)), default=None)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
