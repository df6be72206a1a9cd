"""The gate for versions that nobody knows yet: the one place that compares dates.

Whoever installs a client may get one that is newer than this service. What Azure publishes stays what it was where a
later version adds to it, so that the newest known version of the same sort is the best answer there is.
"""

import re
from collections.abc import Collection
from datetime import date
from typing import Final

SERVED: Final = "api-version-served"
"""The header of an answer that names the version it is in, where the caller asked for one that nobody knows."""

_FORM: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2})(-preview)?"


def served_as(version: str, known: Collection[str]) -> str | None:
    """The newest known version of the same sort, GA or preview, for one that is later than all that are known.

    None for any other: a known one, one between known ones, and what is no version.
    """
    asked = re.fullmatch(_FORM, version, re.IGNORECASE)
    if asked is None or not _is_date(asked[1]) or asked[1] <= max(one[:10] for one in known):
        return None
    return max((one for one in known if len(one) == len(version)), default=None)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
