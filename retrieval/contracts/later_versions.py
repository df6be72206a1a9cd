"""Compares the dates of versions, which no other module does: for the version to use where a caller asks for a later,
unknown version, and for the members of a version.

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
    return newest(known_versions, preview=match[2] is not None)


def newest(known_versions: Collection[str], *, preview: bool) -> str | None:
    """The newest known version of one sort, preview or GA; None if no known version is of that sort."""
    return max((version for version in known_versions if version.endswith("-preview") == preview), default=None)


def is_within(version: str, *, since: Collection[str], until: Collection[str] = ()) -> bool:
    """Whether a version comes neither before the version of its sort, GA or preview, in `since`, nor after that in
    `until`. False if `since` has no version of this sort."""
    first, last = ([other for other in versions if len(other) == len(version)] for versions in (since, until))
    return any(other <= version for other in first) and all(version <= other for other in last)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
