"""Which known version serves a later one that nobody knows yet: the one place that compares dates.

A client may be newer than this service. Azure's later versions add members and keep the others, so the newest known
version of the same sort is the best answer there is.
"""

import re
from collections.abc import Collection
from datetime import date
from typing import Final

SERVED: Final = "api-version-served"
"""The header of an answer that names the version it is in, where the caller asked for one that nobody knows."""

_FORM: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2})(-preview)?"


def served_as(version: str, known_versions: Collection[str]) -> str | None:
    """The newest known version of the same sort, GA or preview, for a version that is later than all known ones.

    None for any other: a known version, one between known ones, and a text that is no version.
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
